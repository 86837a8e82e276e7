# Short runs of the campaign and the load test of a served world: tests/served_campaign.sh and tests/served_load.sh.
# With
# --long, 100 kills of rooms, 10 of supervisors and 10 second owners, and the load of 32 bots.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rooms=${LONG:+100} others=${LONG:+10} bots=${LONG:+32} entities=${LONG:+10000} seconds=${LONG:+60}

share() {
  sh "$root/tests/served_campaign.sh" "$release" --folder "$tmp/campaign" --state "$tmp/state" "$@" >"$tmp/totals" ||
    fail "$(cat "$tmp/totals")"
}
continues_campaign() {
  share --rooms "${rooms:-2}" --supervisors "${others:-1}"
  share --owners "${others:-1}"
  expected="^${rooms:-2} kills of rooms, ${others:-1} kills of supervisors, ${others:-1} second owners, [1-9]"
  grep -q "$expected" "$tmp/state" || fail "$(cat "$tmp/state")"
}
it "a world loses no acknowledged tick in a campaign of kills" continues_campaign

is_measured() {
  sh "$root/tests/served_load.sh" "$release" --bots "${bots:-4}" --entities "${entities:-1000}" \
    --seconds "${seconds:-12}" --folder "$tmp/load" >"$tmp/load.txt" || fail "$(cat "$tmp/load.txt")"
  grep -q "; [1-9][0-9.]* KB/s to a bot, [0-9.]* KB/s from a bot; records [0-9.]* KB/s; recovery of [1-9]" \
    "$tmp/load.txt" || fail "$(cat "$tmp/load.txt")"
}
it "the load of a room with bots on a bad network is measured" is_measured
