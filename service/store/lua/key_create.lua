-- KEYS: the key, list of keys, stamp, record (see idempotency.lua).
-- ARGV: id, document, claim, answer, how long that is kept (ms).
-- Returns 1, or -1 if the claim no longer stands.
if not holds_claim(KEYS[4], ARGV[3]) then
  return -1
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], next_stamp(KEYS[3]), ARGV[1])
keep_answer(KEYS[4], ARGV[3], ARGV[4], ARGV[5])
return 1
