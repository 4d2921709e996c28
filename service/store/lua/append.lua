-- Appends entries to a game's log if it is at the version expected.
-- KEYS: state, log, clock, deadlines, idle, over, public, turns, news, callbacks, meta, asked, then the lease or the
--       record (see idempotency.lua), if there is one.
-- ARGV: game, version expected, what the keys of a bot start with, status, deadline ('' none, 'keep', or ms from now),
--       push seats, bots with a seat, '+<bot>' and '-<bot>' of poll bots, callbacks, tokens
--       (both '' or lines), lease ('' or '<epoch>:<holder>'), claim, answer, how long that is kept (ms), entries…
-- Returns {new version, the moment}; the game as it stands (both see row.lua) if somebody else was first, which saves the
-- reader a round trip; -1: the claim no longer stands; -2: no such game; -3: the lease is lost.
local state = redis.call('HMGET', KEYS[1], 'status', 'serial', 'push', 'bots', 'match', 'epoch')
if not state[1] then
  return -2
end
if not holds_claim(KEYS[13], ARGV[12]) then
  return -1
end
local epoch = false
if ARGV[11] ~= '' then
  -- Also when it has run out and nobody came later: what happened without a live lease may be the writer's own delay.
  epoch = string.match(ARGV[11], '^%d+')
  if redis.call('GET', KEYS[13]) ~= ARGV[11] or tonumber(state[6] or '0') > tonumber(epoch) then
    return -3
  end
end
-- A game that is over takes nothing in; its log may be compressed.
local version = not is_over(state[1]) and redis.call('LLEN', KEYS[2])
if version ~= tonumber(ARGV[2]) then
  local names = {
    meta = KEYS[11], state = KEYS[1], log = KEYS[2], asked = KEYS[12], clock = KEYS[3], deadlines = KEYS[4]
  }
  return read_row(names, ARGV[1], ARGV[2])
end

version = redis.call('RPUSH', KEYS[2], unpack(ARGV, 15))
local index = {
  state = KEYS[1], clock = KEYS[3], deadlines = KEYS[4], idle = KEYS[5], over = KEYS[6], public = KEYS[7],
  turns = KEYS[8], bot = ARGV[3]
}
local game = {id = ARGV[1], status = state[1], serial = state[2], push = state[3] or '', bots = state[4] or ''}
local to = {status = ARGV[4], deadline = ARGV[5], push = ARGV[6], bots = ARGV[7], poll = ARGV[8]}
if to.status ~= game.status then
  redis.call('HSET', index.state, 'status', to.status)
end
if epoch and epoch ~= state[6] then
  redis.call('HSET', index.state, 'epoch', epoch)
end
keep_answer(KEYS[13], ARGV[12], ARGV[13], ARGV[14])
write_tokens(index, ARGV[10])
if not state[5] then
  apply_casual(index, game, to)
end
apply_status(index, game, to)
write_callbacks(KEYS[10], index.clock, ARGV[9], version)
redis.call('PUBLISH', KEYS[9], 'game:' .. game.id .. ' ' .. version .. apply_bots(index, game, to))
return {version, read_moment(index.deadlines, index.clock, game.id)}
