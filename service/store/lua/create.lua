-- Writes a new game, or nothing if its id is in use.
-- KEYS: state, log, clock, deadlines, idle, over, public, turns, news, callbacks, meta, serial, record (see
--       idempotency.lua).
-- ARGV: game, meta, what the keys of a bot start with, status, deadline ('' or ms from now), push seats, bots with a
--       seat, '+<bot>' and '-<bot>' of poll bots, callbacks ('' or lines), tokens (lines), match ('1' or ''),
--       public ('1' or ''), claim, answer, how long that is kept (ms), entries…
-- Returns 1; 0 if the id is in use; -1 if the claim no longer stands.
if not holds_claim(KEYS[13], ARGV[13]) then
  return -1
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('SET', KEYS[11], ARGV[2])
redis.call('HSET', KEYS[1], 'status', ARGV[4])
local version = 0
if #ARGV > 15 then
  version = redis.call('RPUSH', KEYS[2], unpack(ARGV, 16))
end

local index = {
  state = KEYS[1], clock = KEYS[3], deadlines = KEYS[4], idle = KEYS[5], over = KEYS[6], public = KEYS[7],
  turns = KEYS[8], bot = ARGV[3]
}
write_tokens(index, ARGV[10])
local game = {id = ARGV[1], push = '', bots = ''}
local to = {status = ARGV[4], deadline = ARGV[5], push = ARGV[6], bots = ARGV[7], poll = ARGV[8]}
if ARGV[11] ~= '' then
  redis.call('HSET', index.state, 'match', 1)
else
  apply_casual(index, game, to)
end
if ARGV[12] ~= '' then
  game.serial = redis.call('INCR', KEYS[12])
  redis.call('HSET', index.state, 'serial', game.serial)
  redis.call('ZADD', index.public, game.serial, game.id)
  apply_status(index, game, to)
end
keep_answer(KEYS[13], ARGV[13], ARGV[14], ARGV[15])
write_callbacks(KEYS[10], index.clock, ARGV[9], version)
redis.call('PUBLISH', KEYS[9], 'game:' .. game.id .. ' ' .. version .. apply_bots(index, game, to))
return 1
