-- KEYS: row, ladders, stamp.  ARGV: ladder, document.  Returns 1, or 0 if the id is in use.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], 'doc', ARGV[2], 'status', 'open')
redis.call('ZADD', KEYS[2], next_stamp(KEYS[3]), ARGV[1])
return 1
