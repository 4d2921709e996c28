-- A game gets another deadline, if it has one.  KEYS: deadlines, clock.  ARGV: game, ms from now.
local now = tonumber(redis.call('GET', KEYS[2]) or '0')
return redis.call('ZADD', KEYS[1], 'XX', now + tonumber(ARGV[2]), ARGV[1])
