-- The callback that waits in a slot; it is due again after so many ms.  KEYS: the set, clock,
-- the callback, replaced secrets.  ARGV: slot, ms.
-- Returns {version, url, secret, ms, due seats or -, failures or nil, replaced secrets or nil, Redis' clock in ms},
-- version nil if there is nothing.
local fields = redis.call('HMGET', KEYS[3], 'version', 'url', 'secret', 'at', 'due', 'failures')
if fields[1] then
  redis.call('ZADD', KEYS[1], tonumber(redis.call('GET', KEYS[2]) or '0') + tonumber(ARGV[2]), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
local time = redis.call('TIME')
fields[7] = redis.call('GET', KEYS[4])
fields[8] = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
return fields
