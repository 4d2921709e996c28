-- KEYS: row, names, bots, news, bots of the owner, tournaments of the bot, then its other keys.  ARGV: bot.
-- Returns 1, or 0 if there is no such bot, or it plays in a tournament that is not over.
local name = redis.call('HGET', KEYS[1], 'name')
if not name or redis.call('EXISTS', KEYS[6]) == 1 then
  return 0
end
redis.call('HDEL', KEYS[2], name)
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('SREM', KEYS[5], ARGV[1])
redis.call('DEL', KEYS[1], unpack(KEYS, 7))
redis.call('PUBLISH', KEYS[4], 'bot:' .. ARGV[1] .. ' 0')
return 1
