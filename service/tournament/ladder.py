"""A season of a ladder: its log, what follows from it, and the check that each of its blocks had to be as it was.

The log says in order who entered, went away and came back, and which blocks started and finished. An entry is a JSON
object with `type`:

    entered   entrant, bot, version (or null), reference: a version of a bot is an entrant of its own
    version   entrant, version: the bot has named its version, which was not known when it entered
    away      entrant, reason: gets no new blocks until it is back
    back      entrant
    started   block, entrants (in their order around the table), busy: those with no time for another game just then
    finished  block, won: for each of its entrants in that order, against each of them, how many opponents' places were
              worse, counted twice, and once for a shared place; null if the block does not count

Entries have `at`, the time in milliseconds, and nothing is computed from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from service.lazy_import import lazily
from service.tournament.matchmaking import LadderState, next_block
from service.tournament.results import MatchResult
from service.tournament.schedule import Block, Pairing, rotations

if TYPE_CHECKING:
    from service.tournament import ladder_rating
else:
    # With it come numpy and scipy. Every process can read a season, and few ever rate one.
    ladder_rating = lazily("service.tournament.ladder_rating")

OFFLINE = "offline"
"""Why an entrant is away: its bot is not online. It comes back as soon as it is."""
LEFT = "left"
"""It was taken off, and comes back only when it is entered again."""
NEWER_VERSION = "newer version"
"""A newer version of its bot plays."""

Won = list[list[int]]


class SeasonError(ValueError):
    """An entry of the log that cannot stand where it does. `member` names its member at fault."""

    def __init__(self, member: str, reason: str) -> None:
        super().__init__(f"{member}: {reason}")
        self.member = member
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SeasonEntrant:
    """A version of a bot on a ladder. `bot`: its id. `away`: why it gets no new blocks; None while it takes part."""

    name: str
    bot: str
    version: str | None
    reference: bool
    entered_ms: int
    away: str | None = None


class Season:
    """What the log says up to its last entry that was added; the blocks that have started are its schedule.

    What matchmaking knows (`state`) is worked out when it is asked for: a worker that plays a block does not need it.
    """

    def __init__(self, players: int) -> None:
        self.seatings_per_block = players
        self.entries = 0
        self.entrants: dict[str, SeasonEntrant] = {}
        self.finished: dict[int, Won | None] = {}
        """The blocks that are over, in the order in which they ended."""
        self._members: list[tuple[str, ...]] = []
        self._state = LadderState(players)
        self._not_in_state: list[Mapping[str, Any]] = []

    def followed_by(self, entries: Iterable[Mapping[str, Any]]) -> Season:
        """The season with more entries; this one stays as it is. Raises SeasonError for an entry that cannot follow."""
        more = Season(self.seatings_per_block)
        more.entries, more._state = self.entries, self._state
        more.entrants, more.finished = dict(self.entrants), dict(self.finished)
        more._members, more._not_in_state = list(self._members), list(self._not_in_state)
        for entry in entries:
            more.add(entry)
        return more

    def add(self, entry: Mapping[str, Any]) -> None:
        """Takes in the next entry. Raises SeasonError for one that is malformed or names nobody who has entered; all
        else that is wrong with it is found by `check`."""
        try:
            self._add(entry)
        except KeyError as error:
            raise SeasonError(str(error.args[0]), "is missing, or names nobody who has entered") from None
        except ValueError as error:
            raise SeasonError("type", str(error)) from None
        self._not_in_state.append(entry)
        self.entries += 1

    def _add(self, entry: Mapping[str, Any]) -> None:
        match entry["type"]:
            case "entered":
                name, bot, version = entry["entrant"], entry["bot"], entry["version"]
                self.entrants[name] = SeasonEntrant(name, bot, version, entry["reference"], entry["at"])
            case "version":
                known = self.entrants[entry["entrant"]]
                self.entrants[known.name] = replace(known, version=entry["version"])
            case "away":
                known = self.entrants[entry["entrant"]]
                self.entrants[known.name] = replace(known, away=entry["reason"])
            case "back":
                known = self.entrants[entry["entrant"]]
                self.entrants[known.name] = replace(known, away=None)
            case "started":
                self._members.append(tuple(entry["entrants"]))
            case "finished":
                self.finished[entry["block"]] = entry["won"]
            case other:
                raise ValueError(f"there is no entry of type {other!r}")

    @property
    def state(self) -> LadderState:
        """What the next block depends on. Raises SeasonError for an entry that cannot have happened."""
        self.check()
        return self._state

    def check(self) -> None:
        """Raises SeasonError for the first entry that cannot have happened after those before it."""
        while self._not_in_state:
            entry = self._not_in_state[0]
            try:
                self._state = _after(self._state, entry)
            except KeyError as error:
                raise SeasonError("block", f"{error.args[0]} is not open") from None
            except ValueError as error:
                raise SeasonError(_SUBJECT[entry["type"]], str(error)) from None
            del self._not_in_state[0]

    @property
    def blocks(self) -> int:
        """How many blocks have started."""
        return len(self._members)

    @property
    def matches(self) -> int:
        return self.blocks * self.seatings_per_block

    def block(self, number: int) -> Block:
        """Block `number`, from 0. Raises IndexError for one that has not started."""
        if not 0 <= number < self.blocks:
            raise IndexError(f"block {number} has not started: there are {self.blocks}, numbered from 0")
        members, first = self._members[number], number * self.seatings_per_block
        seatings = enumerate(rotations(members))
        return Block(number, members, 0, tuple(Pairing(first + turn, number, turn, seats) for turn, seats in seatings))

    def pairing(self, match: int) -> Pairing:
        """Match `match`, from 0. Raises IndexError for one whose block has not started."""
        number, seating = divmod(match, self.seatings_per_block)
        return self.block(number).pairings[seating]

    def __iter__(self) -> Iterator[Block]:
        return (self.block(number) for number in range(self.blocks))

    def ratings(self) -> ladder_rating.LadderRatings:
        """The ratings of the blocks that are over, in the order of their start."""
        made = ladder_rating.LadderRatings(self.seatings_per_block)
        for entrant in self.entrants.values():
            made.enter(entrant.name, reference=entrant.reference)
        for number in sorted(self.finished):
            add_block(made, self._members[number], self.finished[number])
        return made


_SUBJECT = {"entered": "entrant", "away": "entrant", "back": "entrant", "started": "entrants", "finished": "block"}


def _after(state: LadderState, entry: Mapping[str, Any]) -> LadderState:
    match entry["type"]:
        case "entered":
            return state.enter(entry["entrant"], reference=entry["reference"])
        case "away":
            return state.leave(entry["entrant"])
        case "back":
            return state.enter(entry["entrant"])
        case "started":
            if entry["block"] != state.started:
                raise ValueError(f"the next block is {state.started}, not {entry['block']}")
            return state.start(entry["entrants"])
        case "finished":
            won = entry["won"]
            members = state.open[entry["block"]]
            return state.finish(entry["block"], None if won is None else dict(zip(members, map(sum, won), strict=True)))
    return state


def add_block(ratings: ladder_rating.LadderRatings, members: Sequence[str], won: Won | None) -> None:
    """Takes a block of a season into its ratings, if it counts."""
    if won is None:
        return
    ratings.add(
        {
            name: {other: count for other, count in zip(members, row, strict=True) if other != name}
            for name, row in zip(members, won, strict=True)
        }
    )


def won_of(block: Block, results: Iterable[MatchResult]) -> Won | None:
    """What a block came to: see `finished` above. None: a match has no placing, or one of its bots did not start.

    results  those of its matches that count, in any order
    """
    played = [result for result in results if result.places is not None and not result.not_started]
    if len(played) != len(block.pairings):
        return None
    place = {name: index for index, name in enumerate(block.entrants)}
    won = [[0] * len(place) for _ in place]
    for result in played:
        assert result.places is not None
        for name, mine in zip(result.seats, result.places, strict=True):
            for other, theirs in zip(result.seats, result.places, strict=True):
                if name != other:
                    won[place[name]][place[other]] += (mine < theirs) + (mine <= theirs)
    return won


def check_log(
    players: int, seed: str, log: Sequence[Mapping[str, Any]], results: Mapping[int, Collection[MatchResult]]
) -> Season:
    """Follows a whole log and computes each of its choices again.

    results  by block: those of its matches that are not void

    Raises LogError, which names the first entry that does not follow from those before it.
    """
    season = Season(players)
    for index, entry in enumerate(log):
        try:
            if entry.get("type") == "started":
                wanted = next_block(season.state, seed, frozenset(entry["busy"]))
                if wanted is None or list(wanted) != list(entry["entrants"]):
                    raise SeasonError("entrants", f"must be {_named(wanted)}, by all that the log has before")
            season.add(entry)
            season.check()
            if entry["type"] == "finished":
                block = season.block(entry["block"])
                won = won_of(block, results.get(block.number, ()))
                if won != entry["won"]:
                    raise SeasonError(
                        "won", f"is {entry['won']}, but by the matches of block {block.number} it is {won}"
                    )
        except SeasonError as error:
            raise LogError(index, error) from None
    return season


class LogError(ValueError):
    """The first entry of a log that does not follow. `index`: its place, from 0."""

    def __init__(self, index: int, error: SeasonError) -> None:
        super().__init__(f"entry {index}: {error}")
        self.index = index
        self.member = error.member
        self.reason = error.reason


def _named(members: Sequence[str] | None) -> str:
    return "no block at all" if members is None else f"{list(members)}"
