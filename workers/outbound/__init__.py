"""The only place that calls foreign URLs: bots, and callbacks. All limits live here."""

from workers.outbound.client import Answered, Exchange, Failed, FailureKind, OutboundClient

__all__ = ["Answered", "Exchange", "Failed", "FailureKind", "OutboundClient"]
