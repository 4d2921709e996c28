-- KEYS 4…: results, done, withdrawn, stages.
-- Returns {}, also for a tournament that was removed; or {document, status, reason or nil, number of events, of results,
-- of cancelled ones among them, of blocks done, stages, withdrawn bots…}.
local row = redis.call('HMGET', KEYS[1], 'doc', 'status', 'reason', 'cancelled')
if not row[1] or row[2] == 'removed' then
  return {}
end
return {
  row[1],
  row[2],
  row[3] ~= '' and row[3],
  redis.call('LLEN', KEYS[2]),
  redis.call('HLEN', KEYS[4]),
  tonumber(row[4] or 0),
  redis.call('SCARD', KEYS[5]),
  redis.call('LRANGE', KEYS[7], 0, -1),
  unpack(redis.call('SMEMBERS', KEYS[6]))
}
