-- KEYS 4…: tournaments, running, waiting, stamp, clock, callbacks, record (see idempotency.lua).
-- ARGV 3…: what the keys of a bot start with, document, bots, status, callbacks ('' or lines), claim, answer, how long
--          that is kept (ms).
-- Returns 1; 0 if the id is in use; -1 if the claim no longer stands; the id of an entrant that was deleted. Unless it
-- returns 1, nothing is written.
if not holds_claim(KEYS[10], ARGV[8]) then
  return -1
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local deleted = deleted_of(ARGV[3], ARGV[5])
if deleted then
  return deleted
end
local stamp = next_stamp(KEYS[7])
redis.call('HSET', KEYS[1], 'doc', ARGV[4], 'status', ARGV[6], 'stamp', stamp, 'bots', ARGV[5])
redis.call('ZADD', KEYS[4], stamp, ARGV[1])
write_status({running = KEYS[5], waiting = KEYS[6]}, stamp, ARGV[6], ARGV[3], ARGV[5])
keep_answer(KEYS[10], ARGV[8], ARGV[9], ARGV[10])
write_callbacks(KEYS[9], KEYS[8], ARGV[7], write_event())
return 1
