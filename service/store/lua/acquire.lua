-- KEYS: lease, stamp (after stamp.lua).  ARGV: holder, ms to live.  Returns the epoch, or 0 while it is another's.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local epoch = next_stamp(KEYS[2])
redis.call('SET', KEYS[1], epoch .. ':' .. ARGV[1], 'PX', ARGV[2])
return tonumber(epoch)
