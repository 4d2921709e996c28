-- KEYS: record.  ARGV: holder of the claim.
if redis.call('HGET', KEYS[1], 'claim') == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 1
