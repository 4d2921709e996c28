-- Notes that the bot at a seat has heard of the game's start.  KEYS: state.  ARGV: seat.  Of a game that is gone nothing is noted.
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], 'heard:' .. ARGV[1], 1)
end
