-- Put before the scripts that write an event; those that begin or end a tournament have callbacks.lua before them too.
-- Their KEYS begin with: row, events, news; their ARGV with: tournament, event. The first write of each is one that a
-- full Redis refuses, see effects.lua.
local function write_event()
  local version = redis.call('RPUSH', KEYS[2], ARGV[2])
  redis.call('PUBLISH', KEYS[3], 'tournament:' .. ARGV[1] .. ' ' .. version)
  return version
end

-- The first of these bots (ids between spaces) that was deleted, or nil.
local function deleted_of(bot_prefix, bots)
  for bot in string.gmatch(bots, '%S+') do
    if redis.call('EXISTS', bot_prefix .. bot .. '}:row') == 0 then
      return bot
    end
  end
  return nil
end

-- What a status means for the lists of running and of waiting tournaments, and for the list of those that each entrant
-- plays in.
local function write_status(lists, stamp, status, bot_prefix, bots)
  for listed, list in pairs(lists) do
    if status == listed then
      redis.call('ZADD', list, stamp, ARGV[1])
    else
      redis.call('ZREM', list, ARGV[1])
    end
  end
  for bot in string.gmatch(bots, '%S+') do
    local keys = bot_prefix .. bot .. '}:'
    if status ~= 'waiting' and status ~= 'running' and status ~= 'paused' then
      redis.call('SREM', keys .. 'tournaments', ARGV[1])
    elseif redis.call('EXISTS', keys .. 'row') == 1 then
      redis.call('SADD', keys .. 'tournaments', ARGV[1])
    end
  end
end
