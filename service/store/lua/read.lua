-- One atomic read of a game.
-- KEYS: meta, state, log, asked, clock, deadlines.  ARGV: game, the version after which entries are wanted.
-- Returns {} or {meta, tokens as lines, version, entries as lines, deadline or nil, service time, seconds, microseconds, asked…}.
local meta = redis.call('GET', KEYS[1])
if not meta then
  return {}
end
local state = redis.call('HGETALL', KEYS[2])
local tokens = {}
for i = 1, #state, 2 do
  if string.sub(state[i], 1, 2) == 't:' then
    tokens[#tokens + 1] = string.sub(state[i], 3) .. ' ' .. state[i + 1]
  end
end
local now = redis.call('TIME')
local asked = redis.call('HGETALL', KEYS[4])
return {
  meta,
  table.concat(tokens, '\n'),
  redis.call('LLEN', KEYS[3]),
  -- One string is read by the client many times faster than a hundred.
  table.concat(redis.call('LRANGE', KEYS[3], ARGV[2], -1), '\n'),
  redis.call('ZSCORE', KEYS[6], ARGV[1]),
  redis.call('GET', KEYS[5]) or '0',
  now[1],
  now[2],
  unpack(asked)
}
