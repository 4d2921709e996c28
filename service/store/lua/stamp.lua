-- The next stamp; put before scripts that give one. A stamp is a time in microseconds, larger than all before it, and below
-- 2^53 until the year 2255. Not a plain counter: one that Redis has lost the end of would give the same numbers again.
-- stamp: the key of the last one.
local function next_stamp(stamp)
  local time = redis.call('TIME')
  local last = tonumber(redis.call('GET', stamp) or '0')
  local given = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
  redis.call('SET', stamp, given)
  return given
end
