-- A process of the API has served up to now.  KEYS: processes, stalls.
-- ARGV: process, longest pause between two heartbeats, ms; for how long a silent process is expected back, ms; for how
-- long stalls are kept, ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- A process that is new takes over from all before it: while none was there, the API stood still.
local last = redis.call('HGET', KEYS[1], ARGV[1]) or redis.call('HGET', KEYS[1], 'any')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now), 'any', string.format('%.0f', now))
if last and now - last > tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[2], now, string.format('%.0f %.0f', last, now))
end
local seen = redis.call('HGETALL', KEYS[1])
for at = 1, #seen, 2 do
  if seen[at] ~= 'any' and now - seen[at + 1] > tonumber(ARGV[3]) then
    redis.call('HDEL', KEYS[1], seen[at])
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.0f', now - ARGV[4]))
