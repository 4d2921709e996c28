-- KEYS: row.  ARGV: version or '', for how long the poll may wait (ms).
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'seen', now, 'wait', ARGV[2])
if ARGV[1] ~= '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[1])
end
return 1
