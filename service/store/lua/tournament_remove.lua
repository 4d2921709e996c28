-- KEYS: row, tournaments, removed ones, news.  ARGV: tournament.
-- Returns 1, or 0 if there is none or it is not over. First the write that a full Redis refuses.
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'finished' and status ~= 'cancelled' and status ~= 'failed' then
  return 0
end
redis.call('SADD', KEYS[3], ARGV[1])
redis.call('HSET', KEYS[1], 'status', 'removed')
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('PUBLISH', KEYS[4], 'tournament:' .. ARGV[1] .. ' 0')
return 1
