-- KEYS: lease.  ARGV: '<epoch>:<holder>', ms to live; 0 gives it back.  Returns 1, or 0 if it is not the holder's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
