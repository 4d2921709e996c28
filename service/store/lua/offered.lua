-- The casual games that a poll bot is offered now (after offers.lua).
-- KEYS: row, offered and queued of the bot, clock.  ARGV: what the bot's keys start with.
-- Returns game and service time since when, one after the other, oldest first; then how many others are queued.
offer_queued(ARGV[1], tonumber(redis.call('GET', KEYS[4]) or '0'))
return {redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'), redis.call('ZCARD', KEYS[3])}
