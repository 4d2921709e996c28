#!/bin/sh
# A poll bot in shell, with curl (7.76 or newer) and jq.
#
# MONTEGO_BOT_TOKEN=… sh poll.sh http://127.0.0.1:8000
set -u
: "${1:?usage: MONTEGO_BOT_TOKEN=... sh poll.sh URL}" "${MONTEGO_BOT_TOKEN:?has no token}"
url=${1%/}
cursor=
# A line end at the end of the token, as a file has it, is left out.
token=$(printf '%s' "$MONTEGO_BOT_TOKEN" | tr -d '[:space:]')

# The token is passed on standard input, since other users of the machine can read a command line.
call() {
    printf 'Authorization: Bearer %s\n' "$token" |
        curl --silent --show-error --fail-with-body --max-time 60 --header @- "$@"
}

# Your idea goes here: make {"decision":…,"action":…} from an ask. This example picks an action by the clock.
choose='{decision: .decision.id, action: .legal_actions[(now * 1000 | floor) % (.legal_actions | length)]}'

while :; do
    # With the cursor, the service answers only once something has changed.
    found=$(call --get "$url/v1/bots/me/decisions" --data version=1 \
        ${cursor:+--data wait=25 --data-urlencode "after=$cursor"})
    failed=$?
    # curl returns 22 for a status of 400 or more, and other numbers when it cannot connect.
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
        # A refused answer says why on standard error. One that was sent twice is refused too, which is harmless.
        call --header 'Content-Type: application/json' --data "$answer" --output /dev/null \
            "$url/v1/games/$game/actions"
    done
done
