-- Replaces the document of a bot.  KEYS: row.  ARGV: the document as it was read, the new one.
-- Returns 1, or 0 if it is another one by now, or there is no such bot.
if redis.call('HGET', KEYS[1], 'doc') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'doc', ARGV[2])
return 1
