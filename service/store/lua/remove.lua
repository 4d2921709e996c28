-- Removes a game: its own keys and every hint that names it (after offers.lua). Works in a full Redis too.
-- KEYS: state, log, meta, asked, deadlines, idle, over, public, turns, news, secrets of callbacks, unreadable, clock.
-- ARGV: game, what the keys of a bot start with, how long secrets of callbacks are kept (s).
local state = redis.call('HMGET', KEYS[1], 'status', 'bots')
local clock = tonumber(redis.call('GET', KEYS[13]) or '0')
local news = 'game:' .. ARGV[1] .. ' 0'
for bot in string.gmatch(state[2] or '', '%S+') do
  local keys = ARGV[2] .. bot .. '}:'
  local waited = redis.call('HDEL', keys .. 'waiting', ARGV[1]) + (stop_waiting(keys, ARGV[1], clock) and 1 or 0)
  local listed = redis.call('SREM', keys .. 'games', ARGV[1]) + redis.call('ZREM', keys .. 'ended', ARGV[1])
  if waited + listed > 0 and redis.call('EXISTS', keys .. 'row') == 1 then
    -- A full Redis refuses to count; then the bot is not woken, which is no harm.
    local changes = redis.pcall('HINCRBY', keys .. 'row', 'changes', 1)
    if type(changes) == 'number' then
      news = news .. '\nbot:' .. bot .. ' ' .. changes
    end
  end
end
for list = 5, 8 do
  redis.call('ZREM', KEYS[list], ARGV[1])
end
if state[1] then
  redis.call('ZREM', KEYS[8] .. ':' .. state[1], ARGV[1])
end
for seat = 0, 3 do
  redis.call('ZREM', KEYS[9], ARGV[1] .. ':' .. seat)
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
redis.call('SREM', KEYS[12], 'game:' .. ARGV[1])
redis.call('EXPIRE', KEYS[11], ARGV[3])
redis.call('PUBLISH', KEYS[10], news)
return 1
