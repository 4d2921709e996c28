-- KEYS: row.  ARGV: document, version, wall time of its last poll.  Returns 1, or 0 if there is no such bot.
local row = redis.call('HMGET', KEYS[1], 'name', 'polled')
if not row[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'doc', ARGV[1])
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[2])
end
if ARGV[3] ~= '' and tonumber(ARGV[3]) > (tonumber(row[2]) or 0) then
  redis.call('HSET', KEYS[1], 'polled', ARGV[3])
end
return 1
