-- KEYS 4…: tournaments, running, serial, clock, callbacks.
-- ARGV 3…: what the keys of a bot start with, document, bots, callbacks ('' or lines).
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local serial = redis.call('INCR', KEYS[6])
redis.call('HSET', KEYS[1], 'doc', ARGV[4], 'status', 'running', 'serial', serial, 'bots', ARGV[5])
redis.call('ZADD', KEYS[4], serial, ARGV[1])
write_status(KEYS[5], serial, 'running', ARGV[3], ARGV[5])
write_callbacks(KEYS[8], KEYS[7], ARGV[6], write_event())
return 1
