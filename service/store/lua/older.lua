-- Members of a sorted set of service times that are older than so many ms; with '' in front also those just as old.
-- KEYS: the set, clock.  ARGV: ms, '(' or '', limit.
local limit = tonumber(redis.call('GET', KEYS[2]) or '0') - tonumber(ARGV[1])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] .. limit, 'LIMIT', 0, ARGV[3])
