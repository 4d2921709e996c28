-- Put before scripts by which workers write. They take the lease as the last of KEYS, and its value as the second of ARGV;
-- without one as ''. It is lost also when it has run out and nobody came later: what happened without a live lease may be
-- the writer's own delay.
local function is_lost()
  return ARGV[2] ~= '' and redis.call('GET', KEYS[#KEYS]) ~= ARGV[2]
end
