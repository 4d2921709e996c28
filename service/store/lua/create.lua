-- Writes a new game, or nothing if its id is in use.
-- KEYS: state, log, clock, deadlines, idle, over, public, turns, news, callbacks, meta, stamp, then the lease or the
--       record (see idempotency.lua), if there is one.
-- ARGV: game, lease, tip, what the keys of a bot start with, status, deadline ('' or ms from now), push seats, bots with a
--       seat, '+<bot>' and '-<bot>' of poll bots, callbacks ('' or lines), tokens (lines), meta, 'public', 'private' or
--       'match', claim, answer, how long that is kept (ms), entries…
-- Returns 1; 0 if the id is in use; -1: the claim no longer stands; -3: the lease is lost.
if not holds_claim(KEYS[13], ARGV[14]) then
  return -1
end
if is_lost() then
  return -3
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('SET', KEYS[11], ARGV[12])
redis.call('HSET', KEYS[1], 'status', ARGV[5], 'tip', ARGV[3])
local version = 0
if #ARGV > 16 then
  version = redis.call('RPUSH', KEYS[2], unpack(ARGV, 17))
end

local index = {
  state = KEYS[1], clock = KEYS[3], deadlines = KEYS[4], idle = KEYS[5], over = KEYS[6], public = KEYS[7],
  turns = KEYS[8], bot = ARGV[4]
}
write_tokens(index, ARGV[11])
local game = {id = ARGV[1], push = '', bots = ''}
local to = {status = ARGV[5], deadline = ARGV[6], push = ARGV[7], bots = ARGV[8], poll = ARGV[9]}
if ARGV[13] == 'match' then
  redis.call('HSET', index.state, 'match', 1)
else
  apply_casual(index, game, to)
end
if ARGV[13] == 'public' then
  game.stamp = next_stamp(KEYS[12])
  redis.call('HSET', index.state, 'stamp', game.stamp)
  redis.call('ZADD', index.public, game.stamp, game.id)
  apply_status(index, game, to)
end
keep_answer(KEYS[13], ARGV[14], ARGV[15], ARGV[16])
write_callbacks(KEYS[10], index.clock, ARGV[10], version)
redis.call('PUBLISH', KEYS[9], 'game:' .. game.id .. ' ' .. version .. apply_bots(index, game, to))
return 1
