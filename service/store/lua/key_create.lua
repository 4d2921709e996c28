-- KEYS: the key, list of keys, serial.  ARGV: id, document.
if redis.call('SET', KEYS[1], ARGV[2], 'NX') then
  redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[3]), ARGV[1])
end
return 1
