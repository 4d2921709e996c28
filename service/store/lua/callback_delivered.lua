-- A version was delivered, or is given up.  KEYS: the set, clock, the callback.  ARGV: slot, version.
local version = redis.call('HGET', KEYS[3], 'version')
if version and version ~= ARGV[2] then
  -- A newer one has taken its place meanwhile. First the write that a full Redis refuses.
  redis.call('ZADD', KEYS[1], tonumber(redis.call('GET', KEYS[2]) or '0'), ARGV[1])
  redis.call('HDEL', KEYS[3], 'failures')
else
  redis.call('DEL', KEYS[3])
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
