-- The answer of a creating call with an Idempotency-Key is written in the step that creates. Put before scripts that do.
-- record: the last key of such a script. claim: the holder of the call's claim; '' for a call without a key, which has no
-- record.

local function holds_claim(record, claim)
  return claim == '' or redis.call('HGET', record, 'claim') == claim
end

local function keep_answer(record, claim, answer, kept_ms)
  if claim ~= '' then
    redis.call('HSET', record, 'answer', answer)
    redis.call('HDEL', record, 'claim')
    redis.call('PEXPIRE', record, kept_ms)
  end
end
