-- The casual games that wait for a poll bot; put before effects.lua, remove.lua and offered.lua. A bot is offered at most
-- `max_games` of them at a time, in the order in which they began to wait. The others are queued.
-- keys: what the keys of the bot start with. now: service time.

-- Offers queued games for as long as the bot takes more. Returns how many.
local function offer_queued(keys, now)
  local queued = redis.call('ZCARD', keys .. 'queued')
  local document = queued > 0 and redis.call('HGET', keys .. 'row', 'doc')
  if not document then
    return 0
  end
  local free = cjson.decode(document).max_games - redis.call('ZCARD', keys .. 'offered')
  local games = free > 0 and redis.call('ZRANGE', keys .. 'queued', 0, free - 1) or {}
  for _, game in ipairs(games) do
    -- First the write that a full Redis refuses; see effects.lua.
    redis.call('ZADD', keys .. 'offered', now, game)
    redis.call('ZREM', keys .. 'queued', game)
  end
  return #games
end

local function wait_for_bot(keys, game, now)
  if not redis.call('ZSCORE', keys .. 'offered', game) then
    redis.call('ZADD', keys .. 'queued', 'NX', now, game)
    offer_queued(keys, now)
  end
end

-- Returns whether the game waited.
local function stop_waiting(keys, game, now)
  local waited = redis.call('ZREM', keys .. 'offered', game) + redis.call('ZREM', keys .. 'queued', game) > 0
  if waited then
    offer_queued(keys, now)
  end
  return waited
end
