-- One atomic read of a game; put before read.lua and append.lua.

-- The moment: deadline or false, service time, seconds, microseconds.
local function read_moment(deadlines, clock, game)
  local now = redis.call('TIME')
  return redis.call('ZSCORE', deadlines, game), redis.call('GET', clock) or '0', now[1], now[2]
end

-- names: keys meta, state, log, asked, clock, deadlines. since: the version after which entries are wanted.
-- Returns {} or {meta, tokens as lines, version, tip, entries as lines, the moment, asked…}.
local function read_row(names, game, since)
  local meta = redis.call('GET', names.meta)
  if not meta then
    return {}
  end
  local state = redis.call('HGETALL', names.state)
  local tokens, tip = {}, ''
  for i = 1, #state, 2 do
    if string.sub(state[i], 1, 2) == 't:' then
      tokens[#tokens + 1] = string.sub(state[i], 3) .. ' ' .. state[i + 1]
    elseif state[i] == 'tip' then
      tip = state[i + 1]
    end
  end
  local version, entries
  if redis.call('TYPE', names.log).ok == 'string' then
    -- Of a compressed log all is given, marked by an empty line in front: it can be taken apart by the client only.
    local log = redis.call('GET', names.log)
    local mark = string.find(log, ' ', 1, true)
    version = tonumber(string.sub(log, 1, mark - 1))
    entries = tonumber(since) < version and '\n' .. string.sub(log, mark + 1) or ''
  else
    version = redis.call('LLEN', names.log)
    -- One string is read by the client many times faster than a hundred.
    entries = table.concat(redis.call('LRANGE', names.log, since, -1), '\n')
  end
  local row = {meta, table.concat(tokens, '\n'), version, tip, entries, read_moment(names.deadlines, names.clock, game)}
  for _, part in ipairs(redis.call('HGETALL', names.asked)) do
    row[#row + 1] = part
  end
  return row
end
