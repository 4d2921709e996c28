"""The page: the tournament's page of the service, made from the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from service.presentation import styles
from service.presentation.names import shown
from service.presentation.rendering import render
from service.presentation.texts import Texts
from service.presentation.tournament import TournamentState, tournament_values


def build(archive: Mapping[str, Any], language: str = "en") -> str:
    """The HTML document of a tournament's file that `archive.verify` has found sound, in a language.

    The page loads nothing and runs nothing. Everything that a bot or an organiser has written appears as plain text.
    """
    texts = Texts(language)
    state = TournamentState.load({**archive, "matches": _counts(archive)})
    return render(
        "service.report",
        "report.html",
        language,
        name=shown(archive["settings"]["name"]) or archive["tournament"],
        tournament=archive["tournament"],
        style=Markup(styles.document()),
        **tournament_values(state, list(_matches(archive)), texts),
    )


def _counts(archive: Mapping[str, Any]) -> dict[str, int]:
    total = len(archive["schedule"])
    finished = sum(entry["status"] == "finished" for entry in archive["matches"])
    return {"total": total, "drawn": total, "finished": finished, "cancelled": total - finished}


def _matches(archive: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The matches in the order of the schedule, as the service lists them: void attempts first, and those that were
    never begun as cancelled."""
    attempts: dict[str, list[Mapping[str, Any]]] = {}
    for entry in archive["matches"]:
        attempts.setdefault(entry["match"], []).append(entry)
    for scheduled in archive["schedule"]:
        nothing = {**scheduled, "game": None, "status": "cancelled", "points": None, "places": None}
        tried = attempts.get(scheduled["match"])
        if tried is None or tried[-1]["status"] == "void":
            yield from (_attempt(nothing, entry) for entry in tried or ())
            yield nothing
        else:
            yield from (_attempt(nothing, entry) for entry in tried)


def _attempt(nothing: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    record = entry["record"]
    if record is None:
        return dict(nothing)
    return {
        **nothing,
        "game": record["game"],
        "status": entry["status"],
        "points": record["result"]["points"],
        "places": record["result"]["places"],
        "faults": entry["faults"],
        "not_started": entry["not_started"],
        "forfeits": [nothing["seats"][resigned["seat"]] for resigned in record["resignations"]],
        "harness_slow": entry["harness_slow"],
    }
