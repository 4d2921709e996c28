-- KEYS: row.  ARGV: document.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'absence', ARGV[1])
return 1
