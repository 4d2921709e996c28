-- A version was delivered, or is given up.  KEYS: the set, clock.  ARGV: slot, version.
local key = KEYS[1] .. ':' .. ARGV[1]
local version = redis.call('HGET', key, 'version')
if version and version ~= ARGV[2] then
  -- A newer one has taken its place meanwhile. First the write that a full Redis refuses.
  redis.call('ZADD', KEYS[1], tonumber(redis.call('GET', KEYS[2]) or '0'), ARGV[1])
  redis.call('HDEL', key, 'failures')
else
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
