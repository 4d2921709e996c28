-- Replaces the secrets of a game's or tournament's callbacks.  KEYS: secrets.  ARGV: the text as it was read or '', the
-- new one.  Returns 1, or 0 if it is another one by now.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1
