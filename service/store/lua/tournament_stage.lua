-- Writes the next stage of a tournament, if it is still the next one.
-- KEYS 4…: stages, done.  ARGV 3…: stage, how many stages there were when it was drawn, how many blocks these have.
-- Returns 1; or 0 if another stage came first, one of those blocks is not done (any more), or the tournament does not
-- run.
if redis.call('HGET', KEYS[1], 'status') ~= 'running' then
  return 0
end
if redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[4]) or redis.call('SCARD', KEYS[5]) ~= tonumber(ARGV[5]) then
  return 0
end
redis.call('RPUSH', KEYS[4], ARGV[3])
write_event()
return 1
