-- KEYS 4…: results, or voids.  ARGV 3…: match, result, 1 for a match that is cancelled (else 0).
-- Returns 1; or 0 if the match has one, the tournament is over (its last event has been written) or there is none.
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'running' and status ~= 'paused' then
  return 0
end
if redis.call('HSETNX', KEYS[4], ARGV[3], ARGV[4]) == 0 then
  return 0
end
if ARGV[5] == '1' then
  redis.call('HINCRBY', KEYS[1], 'cancelled', 1)
end
write_event()
return 1
