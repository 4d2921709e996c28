"""Every key that the service keeps in Redis, in one place. The state and the queues may
have a Redis each (`MONTEGO_QUEUE_URL`): that of the queues has `mb:layout`, `mb1:queued:…`, RQ's own keys (`rq:…`) and
the counters of the API's rate limits (`mb1:limits…`, kept by `limits`), and that of the state all others.

The prefix carries the version of the layout. `mb:layout` says which one the database has, and a program of another
one refuses to start on it. Braces are hash tags: all keys of one game, bot, tournament or API key share one.

| key | type | what it holds |
| --- | --- | --- |
| `mb:layout` | string | version of the layout |
| `mb1:clock` | string | service time, ms |
| `mb1:stamp` | string | the last stamp, see `stamp.lua`: an epoch of a lease, or what gives a list its order |
| `mb1:lease:<name>` | string, expires | `<epoch>:<holder>` of the process that has the lease |
| `mb1:api:processes` | hash | process of the API -> its last heartbeat, Redis' ms; `any`: the last one of all |
| `mb1:api:stalls` | sorted set | `<from> <until>` of times in which the API took nothing in -> until, Redis' ms |
| `mb1:news` | channel | lines `<topic> <version>`, see `hub.py` |
| `mb1:{g:<id>}:meta` | string | the game's document of its creation |
| `mb1:{g:<id>}:state` | hash | see below |
| `mb1:{g:<id>}:log` | list | the log; its length is the version |
| the same, of a game that is over | string | the version, a space, and the log compressed: see `packing.py` |
| `mb1:{g:<id>}:asked` | hash | decision -> `<wall ms> <budget ms> <bank ms>`, of asks that poll bots can read |
| `mb1:games:deadline` | sorted set | game -> deadline, service time |
| `mb1:games:idle` | sorted set | open or running casual game -> last append, service time |
| `mb1:games:over` | sorted set | casual game that is over -> since when, service time |
| `mb1:games:public` | sorted set | public game -> stamp |
| `mb1:games:public:<status>` | sorted set | the same, of one status |
| `mb1:games:turns` | sorted set | `<game>:<seat>` of push bots with an open decision -> since when, service time |
| `mb1:unreadable` | set | `game:<id>` or `tournament:<id>` of what cannot be read |
| `mb1:bots` | sorted set | bot -> stamp |
| `mb1:bots:names` | hash | name -> bot |
| `mb1:{b:<id>}:row` | hash | see below |
| `mb1:{b:<id>}:waiting` | hash | game of a match that waits for this poll bot -> decision |
| `mb1:{b:<id>}:offered` | sorted set | casual game that waits for this poll bot -> shown since, service time |
| `mb1:{b:<id>}:queued` | sorted set | the same, not shown to it yet -> since when, service time |
| `mb1:{b:<id>}:games` | set | games not over in which the bot has a seat |
| `mb1:{b:<id>}:casual` | sorted set | the newest 1,000 casual games in which the bot has a seat -> stamp |
| `mb1:{b:<id>}:ended` | sorted set | games that were over ten minutes before the last of them, or later -> wall ms |
| `mb1:{b:<id>}:tournaments` | set | tournaments running or paused that have the bot among their entrants |
| `mb1:{b:<id>}:faults` | sorted set | ledger of faults, the newest 1,000 -> stamp |
| `mb1:{b:<id>}:check` | hash, expires | the latest check of the bot: its id, document, whether it is running |
| `mb1:callbacks` | sorted set | `<type>:<id>` of a callback that is to be delivered -> when, service time |
| `mb1:callbacks:<type>:<id>` | hash | the same in full, see below |
| `mb1:callbacks:secrets:<id>` | string | secrets that took the place of the first one; expires once the game is gone |
| `mb1:keys` | sorted set | API key -> stamp |
| `mb1:hidden-texts` | set | names and comments that pages do not show |
| `mb1:{k:<id>}` | string | its document |
| `mb1:{k:<id>}:bots` | set | bots that were registered with it |
| `mb1:{k:<id>}:games` | sorted set | the newest 1,000 casual games that were created with the key -> stamp |
| `mb1:idempotency:<hash>` | hash, expires | a creating call with an Idempotency-Key, see below |
| `mb1:tournaments` | sorted set | tournament -> stamp |
| `mb1:tournaments:running` | sorted set | the same, of those that run |
| `mb1:tournaments:waiting` | sorted set | the same, of those that wait for their entrants to be ready |
| `mb1:tournaments:removed` | set | those that were removed, as long as any of their keys are left |
| `mb1:{t:<id>}:row` | hash | see below |
| `mb1:{t:<id>}:results` | hash | match number -> result, written once |
| `mb1:{t:<id>}:voids` | hash | match number -> result of its void attempt, written once |
| `mb1:{t:<id>}:events` | list | events; the n-th is number n |
| `mb1:{t:<id>}:done` | set | numbers of blocks that are done |
| `mb1:{t:<id>}:stages` | list | JSON documents of the stages that are drawn |
| `mb1:{t:<id>}:log` | list | the log of a ladder's season, see `tournament/ladder.py` |
| `mb1:{t:<id>}:withdrawn` | set | ids of withdrawn bots |
| `mb1:{t:<id>}:response_times` | hash | bot -> `<answers> <ms>`: the latest answers, and their time together |
| `mb1:{t:<id>}:failures` | hash | block -> how often it failed by a defect of ours |
| `mb1:ladders` | sorted set | ladder -> stamp |
| `mb1:{l:<id>}:row` | hash | `doc`, and `status`: open or closed |
| `mb1:{l:<id>}:seasons` | list | tournaments that are its seasons, oldest first |
| `mb1:blocks:active` | sorted set | `<tournament>:<block>` handed out -> since when, service time |
| `mb1:queued:<job>` | string, expires | RQ id of the job that was queued last under this name, see `queues.py` |

Fields of a game's state: `status`; `t:<holder>`, hash of that holder's token; `match`, 1 for a game of a
tournament; `stamp`, of a public game; `tip`, the last link of the log's hash chain, see `chain.py`; `push`, seats of
push bots with an open decision, as `0,2`; `bots`, ids of the bots that have a seat, between spaces;
`sent:<start or end>:<seat>`, 1 once that message is being sent to the push bot there.
Fields of a bot's row: `name`, `created`, `doc`, `version`, `seen` (when it last polled or answered a call, Redis' ms),
`wait` (how long that poll may have waited, ms), `up` (1 or 0: whether a push bot answered its last call),
`failure` (why it did not), `absence`,
`changes` (counts the news for it), `faults` (how many it ever had).
Fields of a tournament's row: `doc`, `status`, `reason`, `stamp`, `bots` (ids of the entrants, between spaces).
Fields of a callback: `version`, `url`, `secret`, `at` (wall ms), `due` (seats, as `0,2`, or `-`), `failures` (since it
was last delivered). It is there until it is delivered or given up, also when its game is removed meanwhile.
Fields of a creating call: `request`, a hash of it; `claim`, who is answering it; once it has been answered, instead of
that, `answer`, for a day. It holds tokens as they are: a reader of this Redis can do anything with games anyway.
"""

from __future__ import annotations

LAYOUT = "mb:layout"
LAYOUT_VERSION = "1"
PREFIX = f"mb{LAYOUT_VERSION}:"

CLOCK = PREFIX + "clock"
STAMP = PREFIX + "stamp"
NEWS = PREFIX + "news"
API_PROCESSES = PREFIX + "api:processes"
API_STALLS = PREFIX + "api:stalls"

DEADLINES = PREFIX + "games:deadline"
IDLE = PREFIX + "games:idle"
OVER = PREFIX + "games:over"
PUBLIC = PREFIX + "games:public"
UNREADABLE = PREFIX + "unreadable"
TURNS = PREFIX + "games:turns"
#: Scripts that write a callback, or take one, name it as `callback` does.
CALLBACKS = PREFIX + "callbacks"
#: Longer than the last callbacks of a removed game or tournament are tried.
CALLBACK_SECRETS_KEPT_S = 2 * 24 * 3600

BOTS = PREFIX + "bots"
BOT_NAMES = PREFIX + "bots:names"
ACCESS_KEYS = PREFIX + "keys"
HIDDEN_TEXTS = PREFIX + "hidden-texts"
TOURNAMENTS = PREFIX + "tournaments"
RUNNING = PREFIX + "tournaments:running"
WAITING = PREFIX + "tournaments:waiting"
REMOVED = PREFIX + "tournaments:removed"
LADDERS = PREFIX + "ladders"
ACTIVE = PREFIX + "blocks:active"

_GAME = PREFIX + "{g:"
#: A bot's keys start with this, its id and `}:`. Scripts that touch the keys of all bots of a game build the names.
BOT = PREFIX + "{b:"
_TOURNAMENT = PREFIX + "{t:"
_LADDER = PREFIX + "{l:"


def lease(name: str) -> str:
    return f"{PREFIX}lease:{name}"


def game_meta(game: str) -> str:
    return f"{_GAME}{game}}}:meta"


def game_state(game: str) -> str:
    return f"{_GAME}{game}}}:state"


def game_log(game: str) -> str:
    return f"{_GAME}{game}}}:log"


def game_asked(game: str) -> str:
    return f"{_GAME}{game}}}:asked"


def public(status: str | None) -> str:
    return PUBLIC if status is None else f"{PUBLIC}:{status}"


def bot(bot_id: str) -> str:
    """What all keys of a bot start with."""
    return f"{BOT}{bot_id}}}:"


def bot_row(bot: str) -> str:
    return f"{BOT}{bot}}}:row"


def bot_waiting(bot: str) -> str:
    return f"{BOT}{bot}}}:waiting"


def bot_offered(bot: str) -> str:
    return f"{BOT}{bot}}}:offered"


def bot_queued(bot: str) -> str:
    return f"{BOT}{bot}}}:queued"


def bot_games(bot: str) -> str:
    return f"{BOT}{bot}}}:games"


def bot_ended(bot: str) -> str:
    return f"{BOT}{bot}}}:ended"


def bot_tournaments(bot: str) -> str:
    return f"{BOT}{bot}}}:tournaments"


def bot_faults(bot: str) -> str:
    return f"{BOT}{bot}}}:faults"


def bot_casual_games(bot: str) -> str:
    return f"{BOT}{bot}}}:casual"


def bot_check(bot: str) -> str:
    return f"{BOT}{bot}}}:check"


def callback(slot: str) -> str:
    return f"{CALLBACKS}:{slot}"


def callback_secrets(subject: str) -> str:
    return f"{CALLBACKS}:secrets:{subject}"


def access_key(key: str) -> str:
    return f"{PREFIX}{{k:{key}}}"


def owner_bots(key: str) -> str:
    return f"{PREFIX}{{k:{key}}}:bots"


def owner_games(key: str) -> str:
    return f"{PREFIX}{{k:{key}}}:games"


def idempotency_record(name: str) -> str:
    return f"{PREFIX}idempotency:{name}"


def tournament_row(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:row"


def tournament_results(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:results"


def tournament_voids(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:voids"


def tournament_events(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:events"


def tournament_done(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:done"


def tournament_stages(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:stages"


def season_log(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:log"


def ladder_row(ladder: str) -> str:
    return f"{_LADDER}{ladder}}}:row"


def ladder_seasons(ladder: str) -> str:
    return f"{_LADDER}{ladder}}}:seasons"


def tournament_withdrawn(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:withdrawn"


def tournament_response_times(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:response_times"


def tournament_failures(tournament: str) -> str:
    return f"{_TOURNAMENT}{tournament}}}:failures"


def queued(job: str) -> str:
    return f"{PREFIX}queued:{job}"
