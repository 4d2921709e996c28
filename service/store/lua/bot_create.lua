-- KEYS: row, names, bots, serial.  ARGV: bot, name, created, document.
-- Returns 1, or 0 if the name is another's.
local holder = redis.call('HGET', KEYS[2], ARGV[2])
if holder then
  return holder == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'created', ARGV[3], 'doc', ARGV[4])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[3], redis.call('INCR', KEYS[4]), ARGV[1])
return 1
