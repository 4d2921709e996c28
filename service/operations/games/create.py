"""Creating games: the checks of a request, who may create what, and the first entries of the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from service.engine.components import ComponentSet, parse_components, standard_components
from service.engine.errors import InvalidInput
from service.engine.setup import Setup, Token, Variants, commitment, parse_orders, parse_setup, parse_variants
from service.errors import InvalidRequest, Unavailable
from service.operations.access.tokens import Caller, hashed, new_id, role_required, seat_token
from service.operations.bots.registry import seatable
from service.operations.callbacks import check_callback
from service.operations.context import Context
from service.operations.games.asks import observation
from service.operations.games.change import effects_of, queue_turns
from service.operations.games.document import GameMeta, SeatPlan
from service.operations.games.log_entries import Joined, Started, encode
from service.operations.games.projection import GameProjection, GameView
from service.operations.names import check_name
from service.store.bots import Bot
from service.store.idempotency import Claim, Receipt
from service.store.leases import Lease

T = TypeVar("T")

MAX_TURN_S = 7 * 24 * 3600
MAX_PLAYERS = 4


@dataclass(frozen=True, slots=True)
class NewGame:
    """The body of `POST /v1/games`, members as in JSON; None: not given."""

    players: int
    seed: str | None = None
    variants: dict[str, Any] | None = None
    components: dict[str, Any] | None = None
    setup: dict[str, Any] | None = None
    orders: list[Any] | None = None
    seats: list[Any] | None = None
    turn_seconds: int | None = None
    name: str | None = None
    public: bool = False
    callback: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Created:
    """A new game and its secrets, which are shown this once. `answer`: the same as its creator sees it (PROTOCOL
    "A game"), with the `others` that were created with it."""

    view: GameView
    creator_token: str
    tokens: tuple[tuple[int, str], ...]
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Deal:
    """How a game is dealt, checked."""

    variants: Variants
    components: ComponentSet | None
    setup: Setup | None
    orders: tuple[tuple[Token, ...], ...]


def check_deal(new: NewGame) -> Deal:
    """Checks the members of a new game that the engine knows. Raises InvalidRequest naming the field."""
    players = check_players(new.players)
    variants = _below("variants", lambda: parse_variants(new.variants or {}))
    components = None
    if new.components is not None:
        components = _below("components", lambda: parse_components(new.components, players))
    used = components or standard_components(players)
    setup = None if new.setup is None else _below("setup", lambda: parse_setup(new.setup, used, players))
    if new.orders is not None and len(new.orders) > len(used.ships):
        # At least one ship sails every round (RULES "Step 5: the end of a round").
        raise InvalidRequest(("orders",), f"A game with {len(used.ships)} ships does not last more rounds than that.")
    orders = () if new.orders is None else _below("orders", lambda: parse_orders(new.orders, players))
    return Deal(variants, components, setup, orders)


def _below(field: str, parse: Callable[[], T]) -> T:
    try:
        return parse()
    except InvalidInput as error:
        raise InvalidRequest((field, *error.path), error.reason) from None


def check_players(players: object) -> int:
    """2, 3 or 4 (RULES "Material"). Raises InvalidRequest."""
    if isinstance(players, bool) or not isinstance(players, int) or not 2 <= players <= 4:
        raise InvalidRequest(("players",), "A game has 2, 3 or 4 players.")
    return players


def check_seed(seed: str | None) -> str | None:
    """1 to 128 printable characters (PROTOCOL "Conventions"). Raises InvalidRequest."""
    if seed is not None and not (1 <= len(seed) <= 128 and seed.isprintable()):
        raise InvalidRequest(("seed",), "A seed is 1 to 128 printable characters.")
    return seed


def check_turn_seconds(seconds: int | None) -> int | None:
    """1 second to a week. Raises InvalidRequest."""
    if seconds is not None and not 1 <= seconds <= MAX_TURN_S:
        raise InvalidRequest(("turn_seconds",), f"From 1 to {MAX_TURN_S} seconds, or null for no limit.")
    return seconds


def plan_seats(ctx: Context, caller: Caller, wanted: Sequence[Any] | None, players: int) -> tuple[SeatPlan, ...]:
    """Who gets which seat. Raises InvalidRequest, or Forbidden for a bot that the caller may not seat."""
    if wanted is None:
        return (SeatPlan("creator"),) * players
    if len(wanted) != players:
        raise InvalidRequest(("seats",), f"List {players} seats, one for each player.")
    plans: list[SeatPlan] = []
    for number, seat in enumerate(wanted):
        if seat in ("creator", "open"):
            plans.append(SeatPlan(seat))
        elif isinstance(seat, dict) and set(seat) == {"name"} and isinstance(seat["name"], str):
            plans.append(SeatPlan("creator", name=check_name(seat["name"], "seats", number, "name")))
        elif isinstance(seat, dict) and set(seat) == {"bot"} and isinstance(seat["bot"], str):
            bot = seatable(ctx, caller, seat["bot"], ("seats", number, "bot"))
            if any(plan.bot == bot.id for plan in plans):
                raise InvalidRequest(("seats", number, "bot"), f"{bot.name} has a seat of this game already.")
            plans.append(SeatPlan("bot", bot.id, bot.kind, bot.name))
        else:
            raise InvalidRequest(("seats", number), 'A seat is "creator", {"name": …}, "open" or {"bot": name or id}.')
    return tuple(plans)


def create(ctx: Context, caller: Caller, new: NewGame, claim: Claim | None = None) -> Created:
    """Creates casual games, `new.count` of them; each starts at once when no seat is open. `claim`: of a call with an
    Idempotency-Key.

    Raises InvalidRequest, Unauthorized, Forbidden, Unavailable. Nobody has the tokens of games that were created before
    that: they are closed and removed as all games in which nobody acts.
    """
    others = [_create_one(ctx, caller, new).answer for _ in range(new.count - 1)]
    # The answer is kept with the last one: before that, the call can be sent again.
    return _create_one(ctx, caller, new, claim, others)


def _create_one(
    ctx: Context, caller: Caller, new: NewGame, claim: Claim | None = None, others: Sequence[dict[str, Any]] = ()
) -> Created:
    if not ctx.settings.anonymous_games:
        role_required(ctx, caller, "creator")
    meta = _meta(ctx, caller, new)
    game = new_id(ctx)
    creator = seat_token(ctx, game, "creator")
    own_seats = [seat for seat, plan in enumerate(meta.seats) if plan.holder == "creator"]
    tokens = tuple((seat, seat_token(ctx, game, seat)) for seat in own_seats)
    bots = {bot.id: bot for bot in ctx.bots.many([plan.bot for plan in meta.seats if plan.bot]) if bot}
    # The tables of an unusual set of components take a tenth of a second.
    projection = ctx.offload(lambda: _begun(game, meta, bots))
    view = projection.view()
    answer = {
        "game": game,
        "status": view.status,
        "commitment": meta.commitment,
        "creator_token": creator,
        "tokens": [{"seat": seat, "token": token} for seat, token in tokens],
        "observation": observation(view, None),
    }
    if meta.callback_secret is not None:
        answer["callback_secret"] = meta.callback_secret
    if others:
        answer["others"] = list(others)
    key, seated = caller.id if caller.kind == "key" else None, [plan.bot for plan in meta.seats if plan.bot]
    if key is not None or seated:
        ctx.game_lists.note_own(game, key, seated)
    hashes = {"creator": hashed(creator), **{str(seat): hashed(token) for seat, token in tokens}}
    if not write(ctx, projection, hashes, receipt=Receipt.of(claim, answer)):
        raise Unavailable("No id could be had for the game; try again.")
    return Created(view, creator, tokens, answer)


def _meta(ctx: Context, caller: Caller, new: NewGame) -> GameMeta:
    deal = check_deal(new)
    plans = plan_seats(ctx, caller, new.seats, new.players)
    secret = check_callback(ctx, caller, new.callback)
    seed = check_seed(new.seed)
    nonce = ctx.random_bytes(16)
    dealt = seed if seed is not None else ctx.random_bytes(16).hex()
    return GameMeta(
        players=new.players,
        variants=deal.variants,
        deal="given" if deal.setup is not None else "drawn" if seed is None else "seeded",
        seed=dealt,
        nonce=nonce.hex(),
        block_seed=None,
        commitment=commitment(nonce, dealt),
        seats=plans,
        created_ms=ctx.wall_ms(),
        name=check_name(new.name),
        public=new.public,
        turn_seconds=check_turn_seconds(new.turn_seconds),
        components=deal.components,
        setup=deal.setup,
        orders=deal.orders,
        callback=new.callback,
        callback_secret=secret,
    )


def write(
    ctx: Context,
    projection: GameProjection,
    tokens: Mapping[str, str],
    *,
    match: bool = False,
    lease: Lease | None = None,
    receipt: Receipt | None = None,
) -> bool:
    """Writes a new game with the first entries of its log, and has its bots called. False, and nothing is written, when
    its id is in use.

    tokens   hashes by holder
    receipt  the answer of a call with an Idempotency-Key

    Raises LeaseLost, Unavailable.
    """
    before, after = projection.before, projection.view()
    meta = after.meta
    effects = effects_of(before, after, 0)
    lines = [encode(entry) for entry in projection.entries]
    made = ctx.games.create(
        after.id,
        meta=meta.dump(),
        tokens=tokens,
        entries=lines,
        effects=effects,
        kind="match" if match else "public" if meta.public else "private",
        lease=lease,
        receipt=receipt,
    )
    if made:
        queue_turns(ctx, after.id, effects)
    return made


def _begun(game: str, meta: GameMeta, bots: Mapping[str, Bot]) -> GameProjection:
    """Those who have a seat from the beginning sit down, and the game starts when nobody is missing. `bots`: by id."""
    projection = GameProjection(GameView.new(game, meta))
    for seat, plan in enumerate(meta.seats):
        if plan.holder == "creator":
            projection.add(Joined(0, seat, plan.name or f"player {seat}"))
        elif plan.bot is not None and plan.name is not None:
            version = bots[plan.bot].version if plan.bot in bots else None
            projection.add(Joined(0, seat, plan.name, plan.bot, version))
    if projection.version == meta.players:
        projection.add(Started(0))
    return projection
