"""Errors of this package. Each message is one line that can be shown to the user as it is."""

from __future__ import annotations


class LocalError(Exception):
    """A process, port or directory of this machine that cannot be used; the message says which, and what to do."""
