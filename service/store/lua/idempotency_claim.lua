-- KEYS: record.  ARGV: fingerprint of the request, holder of the claim, how long it stands (ms).
-- Returns {} where the call is to be answered now, else {fingerprint, answer or nil} of the call that was first.
local known = redis.call('HMGET', KEYS[1], 'request', 'answer')
if known[1] then
  return known
end
redis.call('HSET', KEYS[1], 'request', ARGV[1], 'claim', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {}
