-- KEYS: active blocks, clock, numbers of the tournament's blocks that are done.  ARGV: '<tournament>:<block>', block.
if redis.call('SISMEMBER', KEYS[3], ARGV[2]) == 1 then
  return 0
end
redis.call('ZADD', KEYS[1], redis.call('GET', KEYS[2]) or '0', ARGV[1])
return 1
