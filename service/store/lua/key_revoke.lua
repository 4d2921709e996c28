-- KEYS: the key, its list of games, list of keys.  ARGV: id.  Returns 1, or 0 if there is no such key.
local found = redis.call('DEL', KEYS[1])
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
return found
