-- Takes slots that are due; they are due again after so many ms.  KEYS: the set, clock.  ARGV: limit, ms.
-- Returns {slot, url, …}.
local now = tonumber(redis.call('GET', KEYS[2]) or '0')
local found = {}
for _, slot in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), slot)
  found[#found + 1] = slot
  found[#found + 1] = redis.call('HGET', KEYS[1] .. ':' .. slot, 'url') or ''
end
return found
