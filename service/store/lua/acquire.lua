-- KEYS: lease, epoch.  ARGV: holder, ms to live.  Returns the epoch, or 0 while it is another's.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
-- Not a plain counter: one that Redis has lost the last second of would give the same epochs again, to others.
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local epoch = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
redis.call('SET', KEYS[2], epoch)
redis.call('SET', KEYS[1], epoch .. ':' .. ARGV[1], 'PX', ARGV[2])
return tonumber(epoch)
