-- Names the tournament that is to be the next season, before that is created.
-- KEYS: row, seasons.  ARGV: tournament, how many seasons there were.
-- Returns 1; or 0 if another season came first, or there is no such ladder, or it is closed.
if redis.call('HGET', KEYS[1], 'status') ~= 'open' or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[2]) then
  return 0
end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 1
