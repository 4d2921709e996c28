-- KEYS: once.  ARGV: fingerprint of the request, salt, lease ms, kept ms.
-- Returns {number of the attempt, salt} where the call is to be made now, else {0, fingerprint, answer or nil}.
local known = redis.call('HMGET', KEYS[1], 'request', 'answer', 'salt', 'until')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if known[1] and (known[1] ~= ARGV[1] or known[2] or now < tonumber(known[4])) then
  return {0, known[1], known[2]}
end
local salt = known[3] or ARGV[2]
redis.call('HSET', KEYS[1], 'request', ARGV[1], 'salt', salt, 'until', string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {redis.call('HINCRBY', KEYS[1], 'attempts', 1), salt}
