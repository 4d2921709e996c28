-- What callback URLs are to be told; put before the scripts that write such. The first write of those is one that a full
-- Redis refuses, see effects.lua.
-- set: the sorted set of all slots; before a colon and a slot it names what waits there. told: lines of '<slot> <url>
-- <secret> <ms> <due seats, or -> <slot that is out of date, or ->'.
local function write_callbacks(set, clock, told, version)
  if told == '' then
    return
  end
  local now = tonumber(redis.call('GET', clock) or '0')
  for slot, url, secret, at, due, old in string.gmatch(told, '(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)') do
    redis.call('HSET', set .. ':' .. slot, 'version', version, 'url', url, 'secret', secret, 'at', at, 'due', due)
    -- What is being sent, or pauses after a failure, does so with its newer version.
    redis.call('ZADD', set, 'NX', now, slot)
    redis.call('ZREM', set, old)
    redis.call('DEL', set .. ':' .. old)
  end
end
