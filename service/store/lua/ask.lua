-- Puts a decision of a match to a poll bot.
-- KEYS: asked, row and waiting of the bot, news, state, lease.  ARGV: game, lease, decision, bot, budget ms, bank ms, spent ms.
-- Returns the wall time, ms; -2: no such game; -3: the lease is lost.
local bots = redis.call('HMGET', KEYS[5], 'status', 'bots')
if not bots[1] then
  return -2
end
if is_lost() then
  return -3
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[3], string.format('%.0f %s %s %s', now, ARGV[5], ARGV[6], ARGV[7]))
if not string.find(' ' .. (bots[2] or '') .. ' ', ' ' .. ARGV[4] .. ' ', 1, true) then
  redis.call('HSET', KEYS[5], 'bots', (bots[2] or '') .. ' ' .. ARGV[4])
end
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
  redis.call('PUBLISH', KEYS[4], 'bot:' .. ARGV[4] .. ' ' .. redis.call('HINCRBY', KEYS[2], 'changes', 1))
end
return now
