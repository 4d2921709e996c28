-- Appends entries to a game's log if it is at the version expected, with the past expected.
-- KEYS: state, log, clock, deadlines, idle, over, public, turns, news, callbacks, meta, asked, then the lease or the
--       record (see idempotency.lua), if there is one.
-- ARGV: game, lease, new tip, what the keys of a bot start with, status, deadline ('' none, 'keep', or ms from now), push
--       seats, bots with a seat, '+<bot>' and '-<bot>' of poll bots, callbacks, tokens (both '' or lines), version expected,
--       tip expected, claim, answer, how long that is kept (ms), entries…
-- Returns the moment; the game as it stands (both see row.lua) where it is another than expected, which saves the reader a
-- round trip; -1: the claim no longer stands; -2: no such game; -3: the lease is lost.
local state = redis.call('HMGET', KEYS[1], 'status', 'stamp', 'push', 'bots', 'match', 'tip')
if not state[1] then
  return -2
end
if not holds_claim(KEYS[13], ARGV[14]) then
  return -1
end
if is_lost() then
  return -3
end
-- A game that is over takes nothing in; its log may be compressed.
local version = not is_over(state[1]) and redis.call('LLEN', KEYS[2])
if version ~= tonumber(ARGV[12]) or state[6] ~= ARGV[13] then
  local names = {
    meta = KEYS[11], state = KEYS[1], log = KEYS[2], asked = KEYS[12], clock = KEYS[3], deadlines = KEYS[4]
  }
  return read_row(names, ARGV[1], ARGV[12])
end

version = redis.call('RPUSH', KEYS[2], unpack(ARGV, 17))
local index = {
  state = KEYS[1], clock = KEYS[3], deadlines = KEYS[4], idle = KEYS[5], over = KEYS[6], public = KEYS[7],
  turns = KEYS[8], bot = ARGV[4]
}
local game = {id = ARGV[1], status = state[1], stamp = state[2], push = state[3] or '', bots = state[4] or ''}
local to = {status = ARGV[5], deadline = ARGV[6], push = ARGV[7], bots = ARGV[8], poll = ARGV[9]}
redis.call('HSET', index.state, 'status', to.status, 'tip', ARGV[3])
keep_answer(KEYS[13], ARGV[14], ARGV[15], ARGV[16])
write_tokens(index, ARGV[11])
if not state[5] then
  apply_casual(index, game, to)
end
apply_status(index, game, to)
write_callbacks(KEYS[10], index.clock, ARGV[10], version)
redis.call('PUBLISH', KEYS[9], 'game:' .. game.id .. ' ' .. version .. apply_bots(index, game, to))
return {read_moment(index.deadlines, index.clock, game.id)}
