-- KEYS: processes, stalls.  ARGV: wall time, ms.
-- Returns the wall time now, the last heartbeat of each process, and the stalls that ended later, as '<from> <until>'.
local time = redis.call('TIME')
local processes = {}
local seen = redis.call('HGETALL', KEYS[1])
for at = 1, #seen, 2 do
  if seen[at] ~= 'any' then
    processes[#processes + 1] = tonumber(seen[at + 1])
  end
end
local stalls = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf')
return {time[1] * 1000 + math.floor(time[2] / 1000), processes, stalls}
