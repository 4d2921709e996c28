"""A game in words: each event as a sentence, who is asked what, and how to call workers, rooms and ships.

All texts are plain text in the language of the reader; whoever puts them into a page escapes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from service.engine.actions import Action, Decline, Hire, Load, Play, Unload
from service.engine.components import PILOT, Room
from service.engine.decisions import Decision
from service.presentation.texts import Texts
from service.web.timeline import Event, GamePosition


@lru_cache(maxsize=32)
def words_in(language: str, hidden: frozenset[str] = frozenset()) -> Words:
    """The words of a language. `hidden`: folded texts that are not shown."""
    return Words(language, hidden)


class Words(Texts):
    """How a game is told in one language."""

    # Names of things

    def player(self, names: Sequence[str | None], seat: int) -> str:
        """Who holds a seat."""
        name = names[seat]
        if name is None:
            return self._("open seat")
        return self.name(name) or self._("player %(num)s", num=seat)

    def players(self, names: Sequence[str | None]) -> str:
        """All who play."""
        return self.listed(self.player(names, seat) for seat in range(len(names)))

    def worker(self, names: Sequence[str | None], seat: int, worker: str) -> str:
        """A worker that does something, at the beginning of a sentence."""
        if worker == "jack":
            return self._p("subject", "Lazy Jack")
        if worker == "big":
            return self._p("subject", "%(name)s’s big", name=self.player(names, seat))
        return self._p("subject", "%(name)s’s little", name=self.player(names, seat))

    def worker_met(self, names: Sequence[str | None], seat: int, worker: str) -> str:
        """A worker that something is done to, or that stands somewhere."""
        if worker == "jack":
            return self._p("object", "Lazy Jack")
        if worker == "big":
            return self._p("object", "%(name)s’s big", name=self.player(names, seat))
        return self._p("object", "%(name)s’s little", name=self.player(names, seat))

    def kind(self, worker: str) -> str:
        """Which of a player's workers."""
        return {"big": self._("big"), "little": self._("little"), "jack": self._("Jack")}[worker]

    def dock(self, number: int) -> str:
        """A dock, from the front."""
        return (self._("Front dock"), self._("Second dock"), self._("Third dock"), self._("Fourth dock"))[number]

    def half(self, room: str) -> str:
        """Which room of a warehouse."""
        return self._("upper") if room == "upper" else self._("lower")

    def shows(self, room: Room) -> str:
        """What a room shows."""
        parts = []
        if room.good:
            parts.append(self._n("load %(num)s barrel", "load %(num)s barrels", room.good))
        if room.broken:
            parts.append(self._n("unload %(num)s barrel", "unload %(num)s barrels", room.broken))
        if room.coin:
            parts.append(self._("a coin"))
        return self.listed(parts) if parts else self._("nothing")

    def stop(self, stop: int | None) -> str:
        """A stop, or the tavern."""
        return self._("the tavern") if stop is None else self._("stop %(num)s", num=stop)

    def points(self, number: int) -> str:
        """A number of points."""
        return self._n("%(num)s point", "%(num)s points", number)

    def barrels(self, number: int) -> str:
        """A number of barrels."""
        return self._n("%(num)s barrel", "%(num)s barrels", number)

    def on_ships(self, ships: Mapping[str, int]) -> str:
        """How many barrels go on which ship."""
        return self.listed(
            self._("%(num)s on %(ship)s", num=count, ship=ship) for ship, count in ships.items() if count
        )

    def off_ships(self, ships: Mapping[str, int]) -> str:
        """How many barrels come off which ship."""
        return self.listed(
            self._("%(num)s off %(ship)s", num=count, ship=ship) for ship, count in ships.items() if count
        )

    def shares(self, names: Sequence[str | None], paid: Sequence[int]) -> str:
        """Who gets how many points; empty where nobody gets any."""
        best_first = sorted((seat for seat, share in enumerate(paid) if share), key=lambda seat: -paid[seat])
        return self.listed(f"{self.player(names, seat)} {paid[seat]}" for seat in best_first)

    # What happened, what is asked

    def event(self, position: GamePosition) -> str:
        """What happened last in a position."""
        told = position.event
        teller = _TELLERS[told["type"]]
        return teller(self, told, position)

    def now(self, position: GamePosition) -> str:
        """Who is asked what in a position; empty where nobody is."""
        decisions = position.decisions
        if not decisions:
            return ""
        if decisions[0].type == "play":
            waiting = self.listed(self.player(position.names, decision.seat) for decision in decisions)
            if len(decisions) == position.players:
                return self._("All choose their cards in secret.")
            return self._("Cards are chosen in secret. Still to choose: %(names)s.", names=waiting)
        decision = decisions[0]
        name = self.player(position.names, decision.seat)
        if decision.type == "hire":
            return self._("%(name)s is asked whether to hire Lazy Jack for 3 coins.", name=name)
        place = {
            "name": name,
            "barrels": self.barrels(decision.barrels or 0),
            "worker": self.kind(decision.worker or ""),
            "room": self.half(decision.room or ""),
            "warehouse": decision.warehouse,
        }
        if decision.type == "load":
            return self._(
                "%(name)s is asked where to load %(barrels)s: "
                "the %(worker)s stands at the %(room)s room of %(warehouse)s.",
                **place,
            )
        return self._(
            "%(name)s is asked where to take off %(barrels)s: "
            "the %(worker)s stands at the %(room)s room of %(warehouse)s.",
            **place,
        )

    def waiting(self, decision: Decision) -> str:
        """What a seat is doing now, as a label."""
        return {
            "hire": self._("hiring?"),
            "play": self._("choosing cards"),
            "load": self._("loading now"),
            "unload": self._("unloading now"),
        }[decision.type]

    def action(self, action: Action) -> str:
        """A legal action, as an entry of a list."""
        match action:
            case Decline():
                return self._("Do without Jack")
            case Hire(worker):
                if worker == "big":
                    return self._("Hire Jack, to start with the big")
                return self._("Hire Jack, to start with the little")
            case Play(big, little, None):
                return self._("big %(big)s, little %(little)s", big=big, little=little)
            case Play(big, little, jack):
                return self._("big %(big)s, little %(little)s, Jack %(jack)s", big=big, little=little, jack=jack)
            case Load():
                return self.on_ships(dict(action.ships))
            case Unload():
                return self.off_ships(dict(action.ships))

    def outcome(self, position: GamePosition) -> str:
        """How a game that is over ended."""
        if position.places is None:
            return self._("The game was broken off.")
        winners = [seat for seat, place in enumerate(position.places) if place == 1]
        names = self.listed(self.player(position.names, seat) for seat in winners)
        points = self.points(position.points[winners[0]])
        if len(winners) == 1:
            return self._("The game is over: %(name)s wins with %(points)s.", name=names, points=points)
        return self._("The game is over: %(names)s share the first place with %(points)s.", names=names, points=points)


def _joined(words: Words, told: Event, position: GamePosition) -> str:
    name = words.player(position.names, told["seat"])
    return words._("%(name)s takes seat %(num)s.", name=name, num=told["seat"])


def _started(words: Words, told: Event, position: GamePosition) -> str:
    return words._("The game begins.")


def _round_began(words: Words, told: Event, position: GamePosition) -> str:
    return words._("Round %(num)s begins.", num=position.round)


def _offered(words: Words, told: Event, position: GamePosition) -> str:
    return words._("Lazy Jack is offered to %(name)s.", name=words.player(position.names, told["seat"]))


def _declined(words: Words, told: Event, position: GamePosition) -> str:
    return words._("%(name)s does without Jack.", name=words.player(position.names, told["seat"]))


def _jack_hired(words: Words, told: Event, position: GamePosition) -> str:
    name = words.player(position.names, told["seat"])
    if told["companion"] == "big":
        return words._("%(name)s hires Lazy Jack for 3 coins; he starts with the big.", name=name)
    return words._("%(name)s hires Lazy Jack for 3 coins; he starts with the little.", name=name)


def _chosen(words: Words, told: Event, position: GamePosition) -> str:
    return words._("%(name)s has chosen cards.", name=words.player(position.names, told["seat"]))


def _revealed(words: Words, told: Event, position: GamePosition) -> str:
    hands = []
    for cards in told["cards"]:
        hand = {"name": words.player(position.names, cards["seat"]), **cards}
        if "jack" in cards:
            hands.append(words._("%(name)s %(big)s and %(little)s, Jack %(jack)s", **hand))
        else:
            hands.append(words._("%(name)s %(big)s and %(little)s", **hand))
    return words._("Cards: %(hands)s.", hands="; ".join(hands))


def _moved(words: Words, told: Event, position: GamePosition) -> str:
    values: dict[str, Any] = {
        "worker": words.worker(position.names, told["seat"], told["worker"]),
        "start": told["from"],
        "end": told["to"],
    }
    pushed = told["pushed"]
    if pushed is not None:
        values["other"] = words.worker_met(position.names, pushed["seat"], pushed["worker"])
        values["across"] = pushed["to"]
        if told["from"] is None:
            return words._(
                "%(worker)s comes out of the tavern to stop %(end)s and pushes %(other)s to %(across)s.", **values
            )
        return words._("%(worker)s walks from stop %(start)s to %(end)s and pushes %(other)s to %(across)s.", **values)
    if told["to"] is None:
        return words._("%(worker)s finds no free stop and stays in the tavern.", **values)
    if told["from"] is None:
        if told["fell_back"]:
            return words._("%(worker)s comes out of the tavern and falls back to stop %(end)s.", **values)
        return words._("%(worker)s comes out of the tavern to stop %(end)s.", **values)
    if told["from"] == told["to"]:
        return words._("%(worker)s finds no free stop and stays on stop %(end)s.", **values)
    if told["fell_back"]:
        return words._("%(worker)s walks from stop %(start)s and falls back to %(end)s.", **values)
    return words._("%(worker)s walks from stop %(start)s to %(end)s.", **values)


def _coin_taken(words: Words, told: Event, position: GamePosition) -> str:
    worker = words.worker(position.names, told["seat"], told["worker"])
    return words._("%(worker)s takes the coin in %(warehouse)s.", worker=worker, warehouse=told["warehouse"])


def _loaded(words: Words, told: Event, position: GamePosition) -> str:
    return words._(
        "%(worker)s loads %(ships)s (%(warehouse)s, %(room)s).",
        worker=words.worker(position.names, told["seat"], told["worker"]),
        ships=words.on_ships(told["ships"]),
        warehouse=told["warehouse"],
        room=words.half(told["room"]),
    )


def _unloaded(words: Words, told: Event, position: GamePosition) -> str:
    return words._(
        "%(worker)s takes %(ships)s (%(warehouse)s, %(room)s).",
        worker=words.worker(position.names, told["seat"], told["worker"]),
        ships=words.off_ships(told["ships"]),
        warehouse=told["warehouse"],
        room=words.half(told["room"]),
    )


def _ship_sailed(words: Words, told: Event, position: GamePosition) -> str:
    ship = told["ship"]
    if ship == PILOT:
        return words._("The pilot boat sails.")
    shares = words.shares(position.names, told["paid"])
    if any(docked.id == ship for docked in position.docks):
        if not shares:
            return words._("Ship %(ship)s pays nobody at the end.", ship=ship)
        return words._("Ship %(ship)s pays at the end: %(shares)s.", ship=ship, shares=shares)
    if not shares:
        return words._("Ship %(ship)s sails and pays nobody.", ship=ship)
    text = words._("Ship %(ship)s sails: %(shares)s.", ship=ship, shares=shares)
    if told["filled_by"] is not None:
        name = words.player(position.names, told["filled_by"])
        text += " " + words._("Last barrel: %(name)s, 1 point more.", name=name)
    return text


def _ship_drawn(words: Words, told: Event, position: GamePosition) -> str:
    if told["last_six"]:
        return words._("Ship %(ship)s comes in, one of the last six.", ship=told["ship"])
    return words._("Ship %(ship)s comes in.", ship=told["ship"])


def _order_changed(words: Words, told: Event, position: GamePosition) -> str:
    if told["shuffled"]:
        return words._("The order is shuffled.")
    return words._("The last in the order moves to the front.")


def _defaulted(words: Words, told: Event, position: GamePosition) -> str:
    name = words.player(position.names, told["seat"])
    if told["fault"] is None:
        return words._("%(name)s has given up: the default action is played.", name=name)
    fault = words.fault(told["fault"])
    return words._("%(name)s: %(fault)s. The default action is played.", name=name, fault=fault)


def _resigned(words: Words, told: Event, position: GamePosition) -> str:
    names = words.listed(words.player(position.names, seat) for seat in told["seats"])
    if told["reason"] == "forfeit":
        return words._("%(names)s: too many faults, the seat is forfeited.", names=names)
    if told["reason"] == "withdrawn":
        return words._("%(names)s: withdrawn.", names=names)
    return words._("%(names)s: resigned.", names=names)


def _finished(words: Words, told: Event, position: GamePosition) -> str:
    return words.outcome(position)


def _aborted(words: Words, told: Event, position: GamePosition) -> str:
    return words._("The game is broken off.")


def _dealt(words: Words, told: Event, position: GamePosition) -> str:
    return words._("The board is laid out.")


_TELLERS: Final[dict[str, Callable[[Words, Event, GamePosition], str]]] = {
    "dealt": _dealt,
    "joined": _joined,
    "started": _started,
    "round_began": _round_began,
    "offered": _offered,
    "declined": _declined,
    "jack_hired": _jack_hired,
    "chosen": _chosen,
    "revealed": _revealed,
    "moved": _moved,
    "coin_taken": _coin_taken,
    "loaded": _loaded,
    "unloaded": _unloaded,
    "ship_sailed": _ship_sailed,
    "ship_drawn": _ship_drawn,
    "order_changed": _order_changed,
    "defaulted": _defaulted,
    "resigned": _resigned,
    "finished": _finished,
    "aborted": _aborted,
}
