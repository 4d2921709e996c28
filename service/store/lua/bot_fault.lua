-- KEYS: row, faults, stamp (after stamp.lua).  ARGV: document, how many are kept.
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 0
end
redis.call('HINCRBY', KEYS[1], 'faults', 1)
redis.call('ZADD', KEYS[2], next_stamp(KEYS[3]), ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - ARGV[2])
return 1
