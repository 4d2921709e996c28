-- Appends entries to the log of a season, if it is as long as their writer has seen it.
-- KEYS 4…: log.
-- ARGV 3…: what the keys of a bot start with, how long the log was, bots that enter, bots that are released, entries…
--          Bots are ids between spaces.
-- Returns 1; 0 if the log is not that long; -1 if the season is over or there is none; the id of a bot that enters and
-- was deleted. Unless it returns 1, nothing is written.
local row = redis.call('HMGET', KEYS[1], 'status', 'bots')
if row[1] ~= 'running' and row[1] ~= 'paused' then
  return -1
end
if redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[4]) then
  return 0
end
local deleted = deleted_of(ARGV[3], ARGV[5])
if deleted then
  return deleted
end
for i = 7, #ARGV do
  redis.call('RPUSH', KEYS[4], ARGV[i])
end
local bots = row[2]
for bot in string.gmatch(ARGV[5], '%S+') do
  redis.call('SADD', ARGV[3] .. bot .. '}:tournaments', ARGV[1])
  if not string.find(' ' .. bots .. ' ', ' ' .. bot .. ' ', 1, true) then
    bots = bots .. ' ' .. bot
  end
end
redis.call('HSET', KEYS[1], 'bots', bots)
for bot in string.gmatch(ARGV[6], '%S+') do
  redis.call('SREM', ARGV[3] .. bot .. '}:tournaments', ARGV[1])
end
write_event()
return 1
