"""A bot that is a container image: a program in a container without a network and with limits, run by Docker's or
Podman's own command line."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bots.program import ProgramBot

ENGINES = ("docker", "podman")
INSPECT_S = 60.0


class NoContainer(Exception):
    """There is no engine that runs containers, or no such image; the text says which."""


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """What a container may use: `memory` as the engine writes it (256m), without swap; `cpus` in processors; `pids` in
    processes and threads; `scratch` is the size of /tmp, the only folder that can be written, in memory."""

    memory: str = "256m"
    cpus: float = 1.0
    pids: int = 64
    scratch: str = "16m"


def find_engine(wanted: str | None = None) -> str:
    """The engine's command: the wanted one, else Docker, else Podman. Raises NoContainer."""
    for engine in (wanted,) if wanted else ENGINES:
        if shutil.which(engine):
            return engine
    raise NoContainer(f"this needs {wanted or ' or '.join(ENGINES)}, which was not found on this machine")


def container_bot(image: str, *, name: str, engine: str, limits: ContainerLimits, errors: Path | None) -> ProgramBot:
    """The bot of an image that is on this machine. Raises NoContainer if it is not, or the engine does not answer."""
    if image.startswith("-"):
        raise NoContainer(f"{image!r} is not the name of an image")
    try:
        command = [engine, "image", "inspect", "--format", "{{.Id}}", image]
        found = subprocess.run(command, capture_output=True, text=True, timeout=INSPECT_S, check=False)
    except subprocess.TimeoutExpired:
        raise NoContainer(f"{engine} does not answer") from None
    if found.returncode:
        reason = (found.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NoContainer(f"{engine} has no image {image} here (get it by {engine} pull): {reason[:200]}")
    container = f"montego-{secrets.token_hex(6)}"
    return ProgramBot(
        [*_run(engine, container, limits), image],
        name=name,
        errors=errors,
        # Killing the command line does not end the container.
        cleanup=[engine, "rm", "--force", container],
    )


def image_name(image: str) -> str:
    """A name for the bot of an image: that of the image, without its registry, tag and digest."""
    stem = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    return re.sub(r"[^a-z0-9._-]+", "-", stem.lower())[:40] or "image"


def _run(engine: str, container: str, limits: ContainerLimits) -> list[str]:
    return [
        *(engine, "run", "--rm", "--interactive", "--name", container),
        *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--user", "65534:65534", "--tmpfs", f"/tmp:rw,nosuid,nodev,size={limits.scratch}"),  # noqa: S108  (in the container)
        *("--memory", limits.memory, "--memory-swap", limits.memory, "--pids-limit", str(limits.pids)),
        # The weight, so that the service itself and its referees come first on a busy machine.
        *("--cpus", str(limits.cpus), "--cpu-shares", "128"),
        # The engine would keep all that is written, on the disk.
        *("--log-driver", "none"),
    ]
