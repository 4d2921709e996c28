-- What an append changes besides the log; put after offers.lua and before create.lua and append.lua. Everything here is a hint that the log
-- can give again.
-- The first write of a script must be one that a full Redis refuses (RPUSH, SET, HSET, …, never DEL or ZREM): so a
-- script that is refused for lack of memory has done nothing at all.
-- index: names of keys, and what the keys of a bot start with. game: its id and what its state said until now (status,
-- stamp, push, bots). to: what it says from now on (status, deadline, push, bots, poll).

-- A field for each holder: Redis keeps a hash of short values in much less memory.
local function write_tokens(index, tokens)
  for holder, digest in string.gmatch(tokens, '(%S+) (%S+)') do
    redis.call('HSET', index.state, 't:' .. holder, digest)
  end
end

local function is_over(status)
  return status == 'finished' or status == 'aborted'
end

local function apply_turns(index, game, to, now)
  for seat in string.gmatch(to.push, '%d') do
    redis.call('ZADD', index.turns, now, game.id .. ':' .. seat)
  end
  if to.push ~= game.push then
    redis.call('HSET', index.state, 'push', to.push)
    for seat in string.gmatch(game.push, '%d') do
      if not string.find(to.push, seat, 1, true) then
        redis.call('ZREM', index.turns, game.id .. ':' .. seat)
      end
    end
  end
end

local function apply_casual(index, game, to)
  local now = tonumber(redis.call('GET', index.clock) or '0')
  local over = is_over(to.status)
  if over then
    redis.call('ZADD', index.over, 'NX', now, game.id)
    redis.call('ZREM', index.idle, game.id)
  else
    redis.call('ZADD', index.idle, now, game.id)
  end
  if to.deadline == '' or over then
    redis.call('ZREM', index.deadlines, game.id)
  elseif to.deadline ~= 'keep' then
    redis.call('ZADD', index.deadlines, now + tonumber(to.deadline), game.id)
  end
  apply_turns(index, game, to, now)
end

local function apply_status(index, game, to)
  if game.stamp and to.status ~= game.status then
    redis.call('ZADD', index.public .. ':' .. to.status, game.stamp, game.id)
    if game.status then
      redis.call('ZREM', index.public .. ':' .. game.status, game.id)
    end
  end
end

-- The lists of the bots that have a seat: games that are not over, and those that ended in the last ten minutes.
local function apply_seats(index, game, to, touch, clock)
  local over = is_over(to.status)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if to.bots ~= game.bots then
    redis.call('HSET', index.state, 'bots', to.bots)
  end
  for bot in string.gmatch(game.bots, '%S+') do
    local keys = not string.find(' ' .. to.bots .. ' ', ' ' .. bot .. ' ', 1, true) and touch(bot)
    if keys then
      redis.call('SREM', keys .. 'games', game.id)
      redis.call('HDEL', keys .. 'waiting', game.id)
      stop_waiting(keys, game.id, clock)
    end
  end
  for bot in string.gmatch(to.bots, '%S+') do
    local keys = touch(bot)
    if keys and over then
      redis.call('ZADD', keys .. 'ended', now, game.id)
      redis.call('ZREMRANGEBYSCORE', keys .. 'ended', '-inf', now - 600000)
      redis.call('SREM', keys .. 'games', game.id)
      redis.call('HDEL', keys .. 'waiting', game.id)
      stop_waiting(keys, game.id, clock)
    elseif keys then
      redis.call('SADD', keys .. 'games', game.id)
    end
  end
end

-- Returns lines of news for the bots that have more or less to read now. A bot that was deleted leaves no keys behind.
local function apply_bots(index, game, to)
  local touched = {}
  local clock = tonumber(redis.call('GET', index.clock) or '0')
  local function touch(bot)
    local keys = index.bot .. bot .. '}:'
    if redis.call('EXISTS', keys .. 'row') == 1 then
      touched[bot] = keys
      return keys
    end
    return nil
  end

  if to.bots ~= game.bots or (is_over(to.status) and not is_over(game.status)) then
    apply_seats(index, game, to, touch, clock)
  end
  for flag, bot in string.gmatch(to.poll, '([+-])(%S+)') do
    if flag == '-' then
      if stop_waiting(index.bot .. bot .. '}:', game.id, clock) then
        touch(bot)
      end
    else
      local keys = touch(bot)
      if keys then
        wait_for_bot(keys, game.id, clock)
      end
    end
  end
  local news = ''
  for bot, keys in pairs(touched) do
    news = news .. '\nbot:' .. bot .. ' ' .. redis.call('HINCRBY', keys .. 'row', 'changes', 1)
  end
  return news
end
