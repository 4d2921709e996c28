#!/usr/bin/env bash
# Serves a bot (START), checks it, plays a tournament against reference bots (OPPONENTS), and writes both as Markdown to REPORT and
# to the summary of the job. Exits with 1 if the bot does not come up, is faulty, or has faults in its matches.
set -euo pipefail

montego=${MONTEGO:-montego}
opponents=${OPPONENTS:-greedy random}
report=${REPORT:-montego-bay.md}
folder=$(mktemp -d)
port=${BOT_PORT:-9000}
api=${API_PORT:-8000}
export MONTEGO_URL=http://127.0.0.1:$api
MONTEGO_ORGANISER_KEY=action-$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
export MONTEGO_ORGANISER_KEY

end() {
    # Both lead process groups of their own, since START may be any command.
    for pid in "${bot:-}" "${service:-}"; do
        [ -z "$pid" ] || kill -TERM -- "-$pid" 2>/dev/null || true
    done
    wait || true
    rm -rf "$folder"
}
trap end EXIT

tell() {
    printf '%s\n' "$@" | tee -a "$report" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}

until_answered() {
    for _ in $(seq 1 300); do
        curl --silent --fail --output /dev/null "$1" && return 0
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.2
    done
    return 1
}

: >"$report"
set -m
PORT=$port bash -c "$START" >"$folder/bot.log" 2>&1 &
bot=$!
set +m
if ! until_answered "http://127.0.0.1:$port/" "$bot"; then
    tell "**The bot did not come up.** Its last lines:" '```' "$(tail -n 20 "$folder/bot.log")" '```'
    cat "$report"
    exit 1
fi

code=0
checked=$("$montego" check "http://127.0.0.1:$port" 2>&1) || code=1
tell "### Check" '```' "$checked" '```'

set -m
"$montego" up --port "$api" --data "$folder/data" >"$folder/service.log" 2>&1 &
service=$!
set +m
if ! until_answered "http://127.0.0.1:$api/readyz" "$service"; then
    tell "**The service did not come up.** Its last lines:" '```' "$(tail -n 20 "$folder/service.log")" '```'
    cat "$report"
    exit 1
fi
# shellcheck disable=SC2086  # several names
if ! "$montego" bots register mine "http://127.0.0.1:$port" >"$folder/registered" 2>"$folder/watch.log" ||
    ! standings=$("$montego" tournament create mine $opponents --ready --watch \
    --players "${PLAYERS:-2}" --deals "${DEALS:-2}" --name "mine against $opponents" 2>"$folder/watch.log"); then
    tell "**The tournament could not be played.**" '```' "$(tail -n 5 "$folder/watch.log")" '```'
    cat "$report"
    exit 1
fi
tell "### Matches" '```' "$standings" '```'
faults=$("$montego" bots faults mine 2>&1)
case $faults in
    *"has no faults"*) tell "No faults." ;;
    *) code=1 && tell '**Faults**' '```' "$faults" '```' ;;
esac
cat "$report"
exit "$code"
