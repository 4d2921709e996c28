"""The picture with which README begins (`make picture`): a position of a game that reference bots really played."""

from __future__ import annotations

from pathlib import Path

from bots.inprocess import question
from bots.reference import make_bot
from montego_bot import answer, read_ask
from service.engine.actions import parse_action
from service.operations.games.log_entries import Finished, Joined, Settled, Started
from service.operations.games.projection import GameProjection, GameView
from service.web import picture
from service.web.timeline import Timeline
from service.web.words import words_in
from tests.web.games import document

FILE = Path(__file__).parents[2] / "docs" / "game.png"
BOTS = ("lookahead", "greedy", "random", "greedy-2")


def played() -> GameView:
    """The whole game."""
    bots = [make_bot(name) for name in BOTS]
    projection = GameProjection(GameView.new("abcdefghijklmnop", document(len(BOTS), seed="readme")))
    for seat, name in enumerate(BOTS):
        projection.add(Joined(0, seat, name))
    projection.add(Started(0))
    while projection.game.outcome is None:
        decision = projection.game.decisions[0]
        chosen = answer(bots[decision.seat], read_ask(question(projection.game, decision)))["action"]
        projection.add(Settled(0, decision.id, parse_action(chosen), "player", None, 0))
    projection.add(Finished(0))
    return projection.view()


def main() -> None:
    """Writes the file: the position in which somebody loads while most barrels are aboard."""
    view = played()
    timeline = Timeline(view)
    timeline.extend(view)
    loading = [position for position in timeline.positions if any(one.type == "load" for one in position.decisions)]
    shown = max(loading, key=lambda position: sum(len(ship.barrels) for ship in position.docks))
    FILE.write_bytes(picture.png(picture.svg(view, shown, words_in("en"))))


if __name__ == "__main__":
    main()
