"""The outbound client: the only place that calls URLs of bots and callbacks, with all the limits of these calls."""

from workers.outbound.client import Answered, Exchange, Failed, FailureKind, OutboundClient

__all__ = ["Answered", "Exchange", "Failed", "FailureKind", "OutboundClient"]
