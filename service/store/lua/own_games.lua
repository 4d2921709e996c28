-- Lists a casual game among those of the key that creates it and of the bots that have a seat.
-- KEYS: stamp, games of the key (or of nobody), then games and row of each bot.  ARGV: game, how many are kept.
-- A bot that was deleted leaves no key behind.
local stamp = next_stamp(KEYS[1])
local function list(key)
  redis.call('ZADD', key, stamp, ARGV[1])
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - ARGV[2])
end
if KEYS[2] ~= '' then
  list(KEYS[2])
end
for i = 3, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[i + 1]) == 1 then
    list(KEYS[i])
  end
end
return stamp
