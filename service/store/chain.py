"""The hash chain of a game's log: it tells one past of a game from another of the same length.

Redis may lose its last second (a crash, a failover, a restored backup) while a process still knows it. The chain has a
link for the game's document and one for each entry, made of the link before and the entry; the last link is the *tip*.
Appends and reads compare tips, so a process that knows what the store has lost notices it, and drops it.

A tip follows from hidden cards too: it never leaves the service.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

LINK_BYTES = 8


def begin(document: str) -> bytes:
    """The chain of a game without entries."""
    return hashlib.blake2b(document.encode(), digest_size=LINK_BYTES).digest()


def extend(chain: bytes, entries: Iterable[str]) -> bytes:
    """The chain with a link more for each entry."""
    links = [chain]
    link = chain[-LINK_BYTES:]
    for entry in entries:
        link = hashlib.blake2b(link + entry.encode(), digest_size=LINK_BYTES).digest()
        links.append(link)
    return b"".join(links)


def version(chain: bytes) -> int:
    """The number of entries."""
    return len(chain) // LINK_BYTES - 1


def tip(chain: bytes) -> str:
    """The last link, as the store keeps it."""
    return chain[-LINK_BYTES:].hex()
