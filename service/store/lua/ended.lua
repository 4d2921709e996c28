-- Games of a bot that ended less than so many ms ago, newest first.  KEYS: ended games of the bot.  ARGV: ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. string.format('%.0f', now - ARGV[1]))
