#!/bin/sh
# A poll bot in shell, with curl (7.76 or newer) and jq.
#
# MONTEGO_BOT_TOKEN=… sh poll.sh http://127.0.0.1:8000
set -u
: "${1:?usage: MONTEGO_BOT_TOKEN=... sh poll.sh URL}" "${MONTEGO_BOT_TOKEN:?has no token}"
url=${1%/}
cursor=

# The token goes in by standard input: a command line can be read by others on the machine.
call() {
    printf 'Authorization: Bearer %s\n' "$MONTEGO_BOT_TOKEN" |
        curl --silent --show-error --fail-with-body --max-time 60 --header @- "$@"
}

# Your idea goes here: from an ask, {"decision":…,"action":…}. This one takes any action, by the clock.
choose='{decision: .decision.id, action: .legal_actions[(now * 1000 | floor) % (.legal_actions | length)]}'

while :; do
    # With the cursor, the service answers only once something has changed.
    found=$(call --get "$url/v1/bots/me/decisions" --data version=1 \
        ${cursor:+--data wait=25 --data-urlencode "after=$cursor"})
    failed=$?
    # 22: an answer of 400 or more; jq finds no decisions in a problem. Anything else: nobody there.
    if [ $failed -ne 0 ]; then
        printf '%s\n' "$found" >&2
        case $found in *'"unauthorized"'*) exit 1 ;; esac
        sleep 1
        continue
    fi
    cursor=$(printf '%s' "$found" | jq --raw-output .cursor)
    printf '%s' "$found" | jq --compact-output '.decisions[]' | while IFS= read -r ask; do
        game=$(printf '%s' "$ask" | jq --raw-output .game)
        answer=$(printf '%s' "$ask" | jq --compact-output "$choose")
        # A refusal says why on standard error; an answer that came twice is one of them, and harmless.
        call --header 'Content-Type: application/json' --data "$answer" --output /dev/null \
            "$url/v1/games/$game/actions"
    done
done
