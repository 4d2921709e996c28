"""Many answers in one call: each is judged by itself, and those of one game in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.engine.actions import NotLegal
from service.errors import OperationError, Unavailable
from service.operations.access.tokens import Caller, seat_required
from service.operations.context import Context
from service.operations.games.act import Acted, Submission, act, answered, check_repeat, illegal
from service.operations.games.change import Proposal, append_all, load
from service.operations.games.log_entries import Entry
from service.operations.games.projection import GameView

CHUNK = 32
"""How many answers are judged and appended at a time: other requests are served in between."""
_ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer among many: who sends it, and for which game."""

    caller: Caller
    game: str
    submission: Submission


Outcome = Acted | OperationError
"""What became of an answer: it was accepted, or what `act` would have raised."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Answers to one game that are not settled, by their number in the call, and the game as this process knows it.

    Only an append or a read confirms what it knows: else an answer that it would refuse is judged again by the newest
    view.
    """

    answers: Mapping[int, Sent]
    view: GameView
    newest: bool


@dataclass(slots=True)
class _Judged:
    """Answers to one game, judged one after another from its view on; `waiting` are for the next turn."""

    view: GameView
    entries: list[Entry] = field(default_factory=list)
    accepted: dict[int, int] = field(default_factory=dict)
    """Seats by number."""
    refused: dict[int, OperationError] = field(default_factory=dict)
    waiting: dict[int, Sent] = field(default_factory=dict)


def act_all(ctx: Context, answers: Sequence[Sent]) -> list[Outcome]:
    """Settles decisions of many games. Returns what became of each answer, in order.

    An answer that is refused changes nothing for the others. The answers of a chunk are appended with one sync to disk.
    Those to matches are judged one by one: there a refused answer costs the bot the decision.
    """
    found: dict[int, Outcome] = {}
    for games in _chunks(answers):
        found |= _act_on(ctx, games)
    return [found[number] for number in range(len(answers))]


def _chunks(answers: Sequence[Sent]) -> Iterator[dict[str, dict[int, Sent]]]:
    """The answers by game, about CHUNK of them at a time; all of one game are together."""
    by_game: dict[str, dict[int, Sent]] = {}
    for number, sent in enumerate(answers):
        by_game.setdefault(sent.game, {})[number] = sent
    chunk: dict[str, dict[int, Sent]] = {}
    for game, of_game in by_game.items():
        chunk[game] = of_game
        if sum(map(len, chunk.values())) >= CHUNK:
            yield chunk
            chunk = {}
    if chunk:
        yield chunk


def _act_on(ctx: Context, games: Mapping[str, Mapping[int, Sent]]) -> dict[int, Outcome]:
    found: dict[int, Outcome] = {}
    waiting: list[_Waiting] = []
    for game, answers in games.items():
        known = ctx.projections.latest(game)
        try:
            view = known or load(ctx, game)
        except OperationError as error:
            found |= dict.fromkeys(answers, error)
            continue
        if view.meta.match is None:
            waiting.append(_Waiting(answers, view, newest=known is None))
        else:
            found |= {number: _act_alone(ctx, sent) for number, sent in answers.items()}
    for _ in range(_ATTEMPTS):
        if not waiting:
            return found
        settled, waiting = _take_turn(ctx, waiting)
        found |= settled
    busy = Unavailable("Too many others write to this game at once; try again.")
    return found | {number: busy for game in waiting for number in game.answers}


def _act_alone(ctx: Context, sent: Sent) -> Outcome:
    try:
        return act(ctx, sent.caller, sent.game, sent.submission)
    except OperationError as error:
        return error


def _take_turn(ctx: Context, waiting: Sequence[_Waiting]) -> tuple[dict[int, Outcome], list[_Waiting]]:
    """Judges the answers and appends what they settle. Returns what became of them, and those that are to be judged
    again, or further: somebody else was first, or the game was not known to be the newest."""
    found: dict[int, Outcome] = {}
    again: list[_Waiting] = []
    judged = [(one, _judge(ctx, one)) for one in waiting]
    changed = [(one, done) for one, done in judged if done.entries]
    proposals = [Proposal(one.view, done.view, tuple(done.entries)) for one, done in changed]
    for (one, done), outcome in zip(changed, append_all(ctx, proposals), strict=True):
        if isinstance(outcome, OperationError):
            found |= dict.fromkeys(one.answers, outcome)
        elif not outcome.entries:
            again.append(replace(one, view=outcome.view, newest=True))
        else:
            found |= _outcomes(one, done, outcome.view)
            if done.waiting:
                again.append(_Waiting(done.waiting, outcome.view, newest=True))
    for one, done in judged:
        if done.entries:
            continue
        if one.newest:
            found |= _outcomes(one, done, one.view)
            continue
        try:
            again.append(replace(one, view=load(ctx, one.view.id), newest=True))
        except OperationError as error:
            found |= dict.fromkeys(one.answers, error)
    return found, again


def _judge(ctx: Context, waiting: _Waiting) -> _Judged:
    judged = _Judged(waiting.view)
    for number, sent in waiting.answers.items():
        decision = sent.submission.decision
        if judged.waiting or (decision in judged.view.closed and decision not in waiting.view.closed):
            # A repeat of an answer of this turn is compared with the log, which does not have that one yet.
            judged.waiting[number] = sent
            continue
        try:
            seat = seat_required(ctx, sent.caller, judged.view)
            at_ms = max(0, ctx.wall_ms() - judged.view.meta.created_ms)
            projection = answered(ctx, sent.submission, seat, judged.view, at_ms)
            if projection is None:
                check_repeat(ctx, judged.view, sent.submission)
            else:
                judged.view = projection.view()
                judged.entries += projection.entries
            judged.accepted[number] = seat
        except NotLegal as error:
            judged.refused[number] = illegal(ctx, judged.view, sent.submission, error)
        except OperationError as error:
            judged.refused[number] = error
    return judged


def _outcomes(waiting: _Waiting, judged: _Judged, view: GameView) -> dict[int, Outcome]:
    """What became of the answers that were judged, in the game as it stands."""
    accepted = {
        number: Acted.of(waiting.answers[number].submission.decision, view, seat)
        for number, seat in judged.accepted.items()
    }
    return {**accepted, **judged.refused}
