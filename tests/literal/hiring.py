"""Steps 1 and 2 of a round: hire Lazy Jack, play cards."""

from .asking import Asking, ask, ask_together
from .pieces import PRICE_OF_JACK, Jack, Player
from .questions import Question, hire_actions, play_actions
from .table import Table


def offers(table: Table) -> list[Player]:
    """Who is offered Jack, one after another."""

    def first_token(player: Player) -> int:
        return min(table.order.index(player.big), table.order.index(player.little))

    # “Players with 3 or more coins are offered him one after another: fewest points first; among equals, the one
    # whose first token stands earlier in the order.”
    rich = [player for player in table.players if player.coins >= PRICE_OF_JACK]
    return sorted(rich, key=lambda player: (player.points, first_token(player)))


def hire_lazy_jack(table: Table) -> Asking:
    """Step 1."""
    table.phase = "hire"
    for player in offers(table):
        answer = yield from ask(table, Question(player, "hire", hire_actions()))
        if answer["type"] == "hire":
            # “The first to accept pays 3 coins to the bank and names one of their own workers; Jack starts where that
            # worker is (its stop, or its tavern). Nobody else is then offered.”
            player.coins -= PRICE_OF_JACK
            table.bank += PRICE_OF_JACK
            table.jack = Jack(player, companion=player.worker(answer["worker"]))
            return


def play_cards(table: Table) -> Asking:
    """Step 2."""
    table.phase = "play"
    # “Everyone chooses secretly and at the same time one card (1 to 5) for each worker; whoever hired Jack also chooses
    # a card for Jack”
    questions = [Question(player, "play", play_actions(player, table.jack)) for player in table.players]
    yield from ask_together(table, questions)
    # “all cards are revealed at once”
    for question in questions:
        answer = question.answer or {}
        question.player.big.card = answer["big"]
        question.player.little.card = answer["little"]
        if table.jack is not None and table.jack.owner is question.player:
            table.jack.card = answer["jack"]


def take_back_cards(table: Table) -> None:
    """“All five cards are back next round.”"""
    for worker in table.workers():
        worker.card = None
