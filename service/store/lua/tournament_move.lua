-- KEYS 4…: running, waiting, clock, callbacks.
-- ARGV 3…: what the keys of a bot start with, target, reason or '', callbacks ('' or lines), sources.
-- Returns 1, or 0 if the status is none of the sources.
local row = redis.call('HMGET', KEYS[1], 'status', 'stamp', 'bots')
for i = 7, #ARGV do
  if row[1] == ARGV[i] then
    redis.call('HSET', KEYS[1], 'status', ARGV[4], 'reason', ARGV[5])
    write_status({running = KEYS[4], waiting = KEYS[5]}, row[2], ARGV[4], ARGV[3], row[3])
    write_callbacks(KEYS[7], KEYS[6], ARGV[6], write_event())
    return 1
  end
end
return 0
