"""The whole game: round after round until it is over, and the door that the tests use."""

import copy
from collections.abc import Callable
from typing import Any

from .asking import Asking, SoleSurvivorError, take_effect
from .clearing import clear_the_warehouses
from .hiring import hire_lazy_jack, play_cards, take_back_cards
from .moving import move_everybody
from .paying import places
from .pieces import Player, Stop
from .questions import Action, Question, content
from .table import Table

Token = tuple[int, str]


def play_the_game(table: Table, reshuffle: Callable[[int], list[Token]]) -> Asking:
    """A game is rounds; “Rounds count from 1”."""
    while True:
        table.round += 1
        yield from hire_lazy_jack(table)
        yield from play_cards(table)
        move_everybody(table)
        yield from clear_the_warehouses(table)
        if the_game_ends(table):
            return
        prepare_next_round(table, reshuffle)


def the_game_ends(table: Table) -> bool:
    """Step 5, first half: the end."""
    # “If 3 or fewer ships are docked (the pilot boat counts as a ship): pay every docked ship, and the game is over.”
    if len(table.harbour.docks) > 3:
        return False
    for ship in table.harbour.docks:
        table.pay(ship)
    return True


def prepare_next_round(table: Table, reshuffle: Callable[[int], list[Token]]) -> None:
    """Step 5, second half: or next round."""
    # “Otherwise the ship at dock 0 is paid and sails, loaded or not; the rest move forward, a new ship is drawn, if
    # any. The pilot boat pays nothing.” (Nothing can be aboard it.)
    table.pay_and_sail(table.harbour.docks[0])
    # “If any ship was drawn from the last six in this round (here or in step 4), shuffle the order.”
    if table.harbour.drew_from_the_last_six:
        table.line_up(reshuffle(table.round + 1))
    else:
        # “Otherwise, also when the stack is empty, the last token moves to the front.”
        table.order.insert(0, table.order.pop())
    table.harbour.drew_from_the_last_six = False
    take_back_cards(table)
    # “Then Jack leaves the path and the next round begins.”
    table.jack = None


class LiteralGame:
    """A game, always at rest at its next unforced decisions, or over.

    `ships`: `{"id","capacity","points":[a,b,c]}` in drawing order, the first three docked behind the pilot boat;
    `warehouses`: `{"id","upper":{"good","broken","coin"},"lower":{…}}` from left to right; `order`: the first movement
    order, `(seat, worker)`; `reshuffle`: the movement order of the round of that number, where it is shuffled.
    """

    def __init__(
        self,
        players: int,
        variants: dict[str, Any],
        ships: list[dict[str, Any]],
        warehouses: list[dict[str, Any]],
        order: list[Token],
        reshuffle: Callable[[int], list[Token]],
    ) -> None:
        self.over = False
        self.ended: str | None = None
        self._table = Table(players, variants, ships, warehouses, order)
        self._flow = play_the_game(self._table, reshuffle)
        self._asked: list[Question] = []
        self._go_on()

    def open_decisions(self) -> list[dict[str, Any]]:
        """The decisions that wait for an answer, in seat order."""
        return [question.as_json() for question in self._open()]

    def legal_actions(self, seat: int) -> list[Action]:
        """The legal actions of the seat's open decision in canonical order; none if it owes no decision."""
        question = self._question_of(seat)
        return [] if question is None else copy.deepcopy(question.legal)

    def default_action(self, seat: int) -> Action:
        """The default action of the seat's open decision. ValueError if it owes none."""
        question = self._question_of(seat)
        if question is None:
            raise ValueError(f"seat {seat} owes no decision")
        return copy.deepcopy(question.default())

    def act(self, seat: int, action: dict[str, Any]) -> None:
        """Settle the seat's open decision, then run all that is forced. ValueError, and no change, if not legal."""
        question = self._question_of(seat)
        if question is None:
            raise ValueError(f"seat {seat} owes no decision")
        meant = content(action)
        if meant is None or meant not in question.legal:
            raise ValueError(f"{question.id}: {action!r} is not a legal action")
        question.answer = meant
        if not self._open():
            self._go_on()

    def resign(self, seat: int) -> None:
        """The seat resigns (or forfeits, or is withdrawn); a repeat changes nothing. ValueError once the game is over.

        “It takes effect when the next decision is asked”: that is at once, as nothing forced is ever left undone here,
        except “while cards are chosen: for a seat whose card is settled it stands after the round's cards”.
        """
        if self.over:
            raise ValueError("the game is over")
        player = self._table.players[seat]
        if player.resigned or player.resignation_waits:
            return
        question = self._question_of(seat)
        if self._table.phase == "play" and question is None:
            player.resignation_waits = True
            return
        try:
            take_effect(self._table, [player])
        except SoleSurvivorError:
            self._finish("resigned")
            return
        if question is not None:
            self.act(seat, question.default())

    def public_state(self) -> dict[str, Any]:
        """What lies on the table, and the order of the stack, as plain JSON."""
        table = self._table
        harbour = table.harbour
        return {
            "round": table.round,
            "phase": table.phase,
            "workers": [
                {
                    "seat": worker.owner.seat,
                    "worker": worker.kind,
                    "stop": worker.place.number if isinstance(worker.place, Stop) else None,
                }
                for worker in table.workers()
            ],
            "order": [{"seat": worker.owner.seat, "worker": worker.kind} for worker in table.order],
            "docks": [
                {
                    "ship": ship.id,
                    "capacity": ship.capacity,
                    "points": list(ship.points),
                    "barrels": [ship.barrels_of(player) for player in table.players],
                }
                for ship in harbour.docks
            ],
            "stack": [ship.id for ship in harbour.stack],
            "bank": table.bank,
            "jack": None
            if table.jack is None
            else {"seat": table.jack.owner.seat, "companion": table.jack.companion.kind},
            "seats": [self._seat(player) for player in table.players],
            "last_six": harbour.next_is_one_of_the_last_six(),
            "reshuffle": harbour.drew_from_the_last_six,
            "places": places(table.players) if self.over else None,
        }

    def _seat(self, player: Player) -> dict[str, int]:
        return {
            "points": player.points,
            "coins": player.coins,
            "supply": player.supply,
            "aboard": self._table.barrels_aboard(player),
        }

    def _open(self) -> list[Question]:
        return [question for question in self._asked if question.answer is None]

    def _question_of(self, seat: int) -> Question | None:
        return next((question for question in self._open() if question.player.seat == seat), None)

    def _go_on(self) -> None:
        """Let the game run to its next questions, or to its end."""
        try:
            self._asked = next(self._flow)
        except StopIteration:
            self._finish("played")
        except SoleSurvivorError:
            self._finish("resigned")

    def _finish(self, ended: str) -> None:
        self._flow.close()
        self._asked = []
        self._table.phase = "over"
        self.over = True
        self.ended = ended
