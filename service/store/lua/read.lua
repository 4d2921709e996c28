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
local version, entries
if redis.call('TYPE', KEYS[3]).ok == 'string' then
  -- Of a compressed log all is given, marked by an empty line in front: it can be taken apart by the client only.
  local log = redis.call('GET', KEYS[3])
  local mark = string.find(log, ' ', 1, true)
  version = tonumber(string.sub(log, 1, mark - 1))
  entries = tonumber(ARGV[2]) < version and '\n' .. string.sub(log, mark + 1) or ''
else
  version = redis.call('LLEN', KEYS[3])
  -- One string is read by the client many times faster than a hundred.
  entries = table.concat(redis.call('LRANGE', KEYS[3], ARGV[2], -1), '\n')
end
local now = redis.call('TIME')
local asked = redis.call('HGETALL', KEYS[4])
return {
  meta,
  table.concat(tokens, '\n'),
  version,
  entries,
  redis.call('ZSCORE', KEYS[6], ARGV[1]),
  redis.call('GET', KEYS[5]) or '0',
  now[1],
  now[2],
  unpack(asked)
}
