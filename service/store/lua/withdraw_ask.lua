-- A decision leaves the waiting set of a poll bot, unless the bot has been asked another one of this game since.
-- KEYS: asked, row and waiting of the bot, news, lease.  ARGV: game, lease, decision, bot.  Returns -3: the lease is lost.
if is_lost() then
  return -3
end
if redis.call('HGET', KEYS[3], ARGV[1]) == ARGV[3] then
  -- First the write that a full Redis refuses; see effects.lua.
  redis.call('PUBLISH', KEYS[4], 'bot:' .. ARGV[4] .. ' ' .. redis.call('HINCRBY', KEYS[2], 'changes', 1))
  redis.call('HDEL', KEYS[3], ARGV[1])
end
return redis.call('HDEL', KEYS[1], ARGV[3])
