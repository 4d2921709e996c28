-- Ends a check of a bot, and wakes all who wait for its report.
-- KEYS: row, check, news.  ARGV: check, document, time to live ms, bot.  Returns 1, or 0 if another one is the latest.
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HGET', KEYS[2], 'check') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[2], 'doc', ARGV[2], 'running', '0')
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PUBLISH', KEYS[3], 'bot:' .. ARGV[4] .. ' ' .. redis.call('HINCRBY', KEYS[1], 'changes', 1))
return 1
