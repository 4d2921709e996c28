-- KEYS: row.  ARGV: '1' and the version that the push bot named, or ''; '0' and why it did not answer.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'up', ARGV[1])
if ARGV[1] == '0' then
  redis.call('HSET', KEYS[1], 'failure', ARGV[2])
  return 1
end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'seen', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
redis.call('HDEL', KEYS[1], 'failure', 'version')
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[2])
end
return 1
