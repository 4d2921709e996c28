-- Replaces the log of a game that is over by its compressed form, if it has not grown since it was read.
-- KEYS: state, log.  ARGV: version, the compressed log.  Returns 1, or 0 if nothing was done.
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'finished' and status ~= 'aborted' then
  return 0
end
if redis.call('TYPE', KEYS[2]).ok ~= 'list' or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
return 1
