-- Marks a block as done, if each of its matches has a result.
-- KEYS: numbers of the tournament's blocks that are done, active blocks, results.
-- ARGV: block, '<tournament>:<block>', numbers of its matches…
-- Returns 1, or 0 if a result is missing: the worker saw it, and Redis has lost it since.
for i = 3, #ARGV do
  if redis.call('HEXISTS', KEYS[3], ARGV[i]) == 0 then
    return 0
  end
end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
