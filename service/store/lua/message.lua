-- Notes that a message is being sent to a bot, so that it is sent once.
-- KEYS: state, lease.  ARGV: game, lease, seat, 'start' or 'end'.
-- Returns 1; 0: it was noted before, or the game is gone; -3: the lease is lost.
if is_lost() then
  return -3
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
return redis.call('HSETNX', KEYS[1], 'sent:' .. ARGV[4] .. ':' .. ARGV[3], 1)
