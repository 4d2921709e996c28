-- KEYS: row, names, bots, news, bots of the owner, then the other keys of the bot.  ARGV: bot.  Returns 1, or 0 if there is no such bot.
local name = redis.call('HGET', KEYS[1], 'name')
if not name then
  return 0
end
redis.call('HDEL', KEYS[2], name)
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('SREM', KEYS[5], ARGV[1])
redis.call('DEL', KEYS[1], unpack(KEYS, 6))
redis.call('PUBLISH', KEYS[4], 'bot:' .. ARGV[1] .. ' 0')
return 1
