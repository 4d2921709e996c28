-- Writes callbacks; put before the scripts that do so. Their first write is one that a full Redis refuses, see effects.lua.
-- set: the sorted set of all slots; with a colon and a slot appended it names what waits there.
-- lines: lines of '<slot> <url> <secret> <ms> <due seats, or -> <slot that is out of date, or ->'.
local function write_callbacks(set, clock, lines, version)
  if lines == '' then
    return
  end
  local now = tonumber(redis.call('GET', clock) or '0')
  for slot, url, secret, at, due, old in string.gmatch(lines, '(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)') do
    redis.call('HSET', set .. ':' .. slot, 'version', version, 'url', url, 'secret', secret, 'at', at, 'due', due)
    -- A callback that is being sent, or pauses after a failure, goes on with its newer version.
    redis.call('ZADD', set, 'NX', now, slot)
    if old ~= '-' then
      redis.call('ZREM', set, old)
      redis.call('DEL', set .. ':' .. old)
    end
  end
end
