# Short runs of the campaigns and the load tests of a served world (tests/served_*.sh). With --long, 100 kills of rooms,
# 10 of supervisors and 10 second owners, 1,000 moves with 10 kills, 20 cuts of up to 30 s, a day with 10 crashes, and
# the loads of 32 bots in one room and of 25 rooms with 20 bots.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rooms=${LONG:+100} others=${LONG:+10} size=${LONG:+12} bots=${LONG:+32} entities=${LONG:+10000} seconds=${LONG:+60}

share() {
  luajit "$root/tests/served_campaign.lua" "$release" --size "${size:-2}" --folder "$tmp/campaign" --state "$tmp/state" "$@" \
    >"$tmp/totals" || fail "$(cat "$tmp/totals")"
}
continues_campaign() {
  rm -f "$tmp/state" # totals of an earlier run
  share --rooms "${rooms:-2}" --supervisors "${others:-1}"
  share --owners "${others:-1}"
  expected="^${rooms:-2} kills of rooms, ${others:-1} kills of supervisors, ${others:-1} second owners, [1-9]"
  grep -q "$expected" "$tmp/totals" || fail "$(cat "$tmp/totals")"
}
it "a world loses no acknowledged tick in a campaign of kills" continues_campaign

is_measured() {
  sh "$root/tests/served_load.sh" "$release" --bots "${bots:-4}" --entities "${entities:-1000}" \
    --seconds "${seconds:-12}" --play-limit $((SLOW > 100 ? 60 * SLOW : 6000)) --folder "$tmp/load" \
    >"$tmp/load.txt" || fail "$(cat "$tmp/load.txt")"
  grep "; [1-9][0-9.]* KB/s to a bot, [0-9.]* KB/s from a bot; records [0-9.]* KB/s; recovery of [1-9]" \
    "$tmp/load.txt" | grep -q "; a press takes effect [1-9][0-9]* ms after the kill$" || fail "$(cat "$tmp/load.txt")"
}
it "the load of a room with bots on a bad network is measured, and the bots play again within 6 s of a kill" is_measured

# runs NAME PATTERN OPTIONS…: the program tests/served_NAME.sh must succeed and print a line that matches PATTERN.
runs() {
  name=$1 pattern=$2
  shift 2
  skip_without sqlite3
  sh "$root/tests/served_$name.sh" "$release" --folder "$tmp/$name" --state "$tmp/$name.state" "$@" >"$name.txt" ||
    fail "$(cat "$name.txt")"
  grep -q "$pattern" "$name.txt" || fail "$(cat "$name.txt")"
}
rm -f ./*.state
if [ -n "$LONG" ]; then
  moves="--moves 1000 --kills 10" cuts="--cuts 20" week="--hours 24 --crashes 10" crowd="--seconds 60"
else # a busy machine delays ticks
  moves="--moves 12 --kills 1 --bots 6" cuts="--cuts 2 --longest 3 --delay 1000"
  week="--hours 1 --crashes 1 --renames 1 --rate 1000" crowd="--rooms 3 --bots 4 --seconds 3 --limit 1000"
fi
# shellcheck disable=SC2086
{
  it "what players own is neither lost nor duplicated while they move among rooms that are killed" runs moves \
    '^[1-9][0-9]* moves among 8 rooms, [1-9][0-9]* kills: all gold and each gem exists once$' $moves
  it "a world loses no tick when its database repeatedly does not answer" runs cuts '^[1-9][0-9]* cuts of the database, .*: no tick lost' $cuts
  it "a world keeps what its players own through simulated hours with crashes and reloads" runs week ' nothing lost; .* local was named$' $week
  it "no bot is dropped in a world with many rooms" runs crowd ' no bot dropped; ' $crowd
}
