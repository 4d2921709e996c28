-- KEYS: row, names, bots, stamp, bots of the owner, record (see idempotency.lua).
-- ARGV: bot, name, created, document, how many bots the owner may have or '', claim, answer, how long that is kept (ms).
-- Returns 1; 0 if the name is taken; -1 if the claim no longer stands; -2 if the owner has as many bots as it may have.
if not holds_claim(KEYS[6], ARGV[6]) then
  return -1
end
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then
  return 0
end
if ARGV[5] ~= '' and redis.call('SCARD', KEYS[5]) >= tonumber(ARGV[5]) then
  return -2
end
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'created', ARGV[3], 'doc', ARGV[4])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[3], next_stamp(KEYS[4]), ARGV[1])
redis.call('SADD', KEYS[5], ARGV[1])
keep_answer(KEYS[6], ARGV[6], ARGV[7], ARGV[8])
return 1
