-- KEYS 4…: results, or voids.  ARGV 3…: match, result.  Returns 1, or 0 if the match has one or there is no such tournament.
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HSETNX', KEYS[4], ARGV[3], ARGV[4]) == 0 then
  return 0
end
write_event()
return 1
