-- Versions of topics.  KEYS: a log (compressed or not), events, or a bot's row, each.  Returns a number for each; 0 where there is nothing.
local versions = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'list' then
    versions[i] = redis.call('LLEN', key)
  elseif kind == 'hash' then
    versions[i] = tonumber(redis.call('HGET', key, 'changes') or '0')
  elseif kind == 'string' then
    versions[i] = tonumber(string.match(redis.call('GETRANGE', key, 0, 15), '^%d+'))
  else
    versions[i] = 0
  end
end
return versions
