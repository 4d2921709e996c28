-- KEYS: once.  ARGV: fingerprint of the request, answer, kept ms.
local known = redis.call('HMGET', KEYS[1], 'request', 'answer')
if known[2] or (known[1] and known[1] ~= ARGV[1]) then
  return 0
end
-- What chance was made from is of no use any more.
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'request', ARGV[1], 'answer', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
