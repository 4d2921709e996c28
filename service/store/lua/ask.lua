-- Puts a decision of a match to a poll bot.
-- KEYS: state, asked, row and waiting of the bot, news.  ARGV: game, decision, bot, budget ms, bank ms.
-- Returns the wall time, ms; -1: no such game.
local bots = redis.call('HMGET', KEYS[1], 'status', 'bots')
if not bots[1] then
  return -1
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], ARGV[2], string.format('%.0f %s %s', now, ARGV[4], ARGV[5]))
if not string.find(' ' .. (bots[2] or '') .. ' ', ' ' .. ARGV[3] .. ' ', 1, true) then
  redis.call('HSET', KEYS[1], 'bots', (bots[2] or '') .. ' ' .. ARGV[3])
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[2])
  redis.call('PUBLISH', KEYS[5], 'bot:' .. ARGV[3] .. ' ' .. redis.call('HINCRBY', KEYS[3], 'changes', 1))
end
return now
