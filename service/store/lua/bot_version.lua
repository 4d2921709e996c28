-- KEYS: row.  ARGV: version or ''.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
if ARGV[1] == '' then
  redis.call('HDEL', KEYS[1], 'version')
else
  redis.call('HSET', KEYS[1], 'version', ARGV[1])
end
return 1
