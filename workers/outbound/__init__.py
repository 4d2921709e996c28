"""The only place that calls foreign URLs: bots, and callbacks. All limits live here."""

from workers.outbound.client import Outbound
from workers.outbound.exchange import Answered, Exchange, Failed, FailureKind

__all__ = ["Answered", "Exchange", "Failed", "FailureKind", "Outbound"]
