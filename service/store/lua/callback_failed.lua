-- A slot could not be delivered, and is due again after so many ms.  KEYS: the set, clock.  ARGV: slot, ms.
local key = KEYS[1] .. ':' .. ARGV[1]
if redis.call('EXISTS', key) == 1 then
  redis.call('HINCRBY', key, 'failures', 1)
  redis.call('ZADD', KEYS[1], tonumber(redis.call('GET', KEYS[2]) or '0') + tonumber(ARGV[2]), ARGV[1])
end
return 1
