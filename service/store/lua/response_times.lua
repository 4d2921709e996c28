-- KEYS: row, response times.  ARGV: bot, answers, ms together, for each bot.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
for i = 1, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[2], ARGV[i])
  local answers, ms = 0, 0
  if known then
    answers, ms = string.match(known, '(%S+) (%S+)')
  end
  answers, ms = answers + ARGV[i + 1], ms + ARGV[i + 2]
  -- The weight of old answers fades: a bot may become slow.
  while answers > 128 do
    answers, ms = answers / 2, ms / 2
  end
  redis.call('HSET', KEYS[2], ARGV[i], answers .. ' ' .. ms)
end
return 1
