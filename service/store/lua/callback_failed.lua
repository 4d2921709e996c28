-- A slot could not be delivered, and is due again after so many ms.  KEYS: the set, clock, the callback.  ARGV: slot, ms.
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('HINCRBY', KEYS[3], 'failures', 1)
  redis.call('ZADD', KEYS[1], tonumber(redis.call('GET', KEYS[2]) or '0') + tonumber(ARGV[2]), ARGV[1])
end
return 1
