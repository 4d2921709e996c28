-- KEYS: row.  ARGV: '1' if the push bot answered, else '0'; the version that it named, or ''.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'up', ARGV[1])
if ARGV[1] == '1' then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'seen', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
  if ARGV[2] == '' then
    redis.call('HDEL', KEYS[1], 'version')
  else
    redis.call('HSET', KEYS[1], 'version', ARGV[2])
  end
end
return 1
