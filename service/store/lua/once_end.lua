-- Ends an attempt that has no answer.
-- KEYS: once.  ARGV: number of the attempt, '1': nothing came of it, the name is free; '': something may have.
if redis.call('HGET', KEYS[1], 'attempts') ~= ARGV[1] then
  return 0
end
if ARGV[2] == '1' then
  return redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], 'until', 0)
return 1
