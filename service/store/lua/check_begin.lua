-- Begins a check of a bot, unless one is running.
-- KEYS: row, check.  ARGV: check, document, time to live ms.  Returns the check that runs now; '' without such a bot.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return ''
end
local known = redis.call('HMGET', KEYS[2], 'check', 'running')
if known[1] and known[2] == '1' then
  return known[1]
end
redis.call('HSET', KEYS[2], 'check', ARGV[1], 'doc', ARGV[2], 'running', '1')
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return ARGV[1]
