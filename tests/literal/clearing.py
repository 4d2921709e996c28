"""Step 4 of a round: clear the warehouses."""

from .asking import Asking, ask
from .pieces import Player, Ship, Stop, Worker
from .questions import Question, about_room, load_actions, unload_actions
from .table import Table


def stops_in_turn(table: Table) -> list[Stop]:
    """The stops in the order in which their rooms are cleared."""
    if table.variants["tally"] == "circuit":
        # “stop `2W-1`, then `2W-2`, and so on down to stop 0”
        return list(reversed(table.path.stops))
    # “Warehouse by warehouse from left to right, in each the upper room, then the lower one.”
    stop_of_room = {stop.room: stop for stop in table.path.stops}
    return [stop_of_room[room] for warehouse in table.row for room in (warehouse.upper, warehouse.lower)]


def clear_the_warehouses(table: Table) -> Asking:
    """Step 4."""
    table.phase = "clear"
    for stop in stops_in_turn(table):
        # “If a worker stands on the room's stop, its owner (for Jack: whoever hired him):”
        worker = table.who_stands_on(stop)
        if worker is not None:
            take_coin(table, worker.owner, stop)
            yield from load(table, worker, stop)
            yield from unload(table, worker, stop)


def take_coin(table: Table, owner: Player, stop: Stop) -> None:
    """“takes 1 coin from the bank, if the room shows one and the bank has one (Jack takes coins too …)”"""
    if stop.room.coin == 1 and table.bank >= 1:
        table.bank -= 1
        owner.coins += 1


def load(table: Table, worker: Worker, stop: Stop) -> Asking:
    """“loads `min(good, supply)` barrels … onto docked cargo ships, split as the owner likes”"""
    owner = worker.owner
    # “counted when the room is reached (barrels that come home meanwhile do not add to it)”
    in_hand = min(stop.room.good, owner.supply)
    while in_hand > 0:
        legal = load_actions(table.harbour.docks, in_hand)
        if not legal:
            # “If no docked ship has room, what is left in hand goes back to the supply.” (It was counted there all
            # the while.)
            return
        about = about_room(worker, stop.warehouse, stop.room, in_hand)
        answer = yield from ask(table, Question(owner, "load", legal, about))
        # “they are put ship by ship in dock order, front first”
        shares = [(ship, answer["ships"].get(ship.id, 0)) for ship in table.harbour.docks]
        for ship, count in shares:
            put_on_ship(table, owner, ship, count)
        # “Only then does the loader go on with what is left in hand, and may use the new ship.”
        in_hand -= sum(count for _, count in shares)


def put_on_ship(table: Table, owner: Player, ship: Ship, count: int) -> None:
    """Put barrels on one ship; “a ship that is full sails before the next one gets its share”."""
    for _ in range(count):
        owner.supply -= 1
        ship.barrels.append(owner)
    if count > 0 and ship.free() == 0:
        # “Whoever puts the last barrel on a ship gets 1 point at once; the ship is paid and sails”
        owner.points += 1
        table.pay_and_sail(ship)


def unload(table: Table, worker: Worker, stop: Stop) -> Asking:
    """“unloads `min(broken, own barrels aboard)` own barrels from docked ships of the owner's choice”"""
    # “A room cleared by Jack unloads nothing.”
    if worker is table.jack:
        return
    owner = worker.owner
    required = min(stop.room.broken, table.barrels_aboard(owner))
    # “where there is nothing to load or unload there is no decision”
    if required == 0:
        return
    about = about_room(worker, stop.warehouse, stop.room, required)
    legal = unload_actions(table.harbour.docks, owner, required)
    answer = yield from ask(table, Question(owner, "unload", legal, about))
    for ship_id, count in answer["ships"].items():
        # “back into the supply”
        for _ in range(count):
            table.docked(ship_id).barrels.remove(owner)
            owner.supply += 1
