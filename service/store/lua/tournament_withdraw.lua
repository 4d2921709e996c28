-- KEYS 4…: withdrawn bots.  ARGV 3…: bot.  Returns 1, or 0 if it was withdrawn before or there is no such tournament.
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('SADD', KEYS[4], ARGV[3]) == 0 then
  return 0
end
write_event()
return 1
