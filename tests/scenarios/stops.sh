# Scripts of all kinds are stopped when their budget expires (tests/stops/main.c). A normal run makes a small part of
# the campaign; the complete campaign is:
#   build/release/bin/stops --count 10000 --state FILE && build/release/bin/stops --signals --count 100000 --state OTHER
# needs: release release/stops
. "$(dirname "$0")/../lib.sh"
stops=$(bin release stops)

all_kinds() {
  run_for 600 "$stops" --count "$((LONG ? 10000 : 350))"
  [ "$status" = 0 ] || fail "$(grep -v '	' "$tmp/out")"
  says out "$((LONG ? 10000 : 350)) stops"
}
it "scripts of all kinds are stopped at their time limit, within 50 ms if they check regularly" all_kinds

with_signals() {
  run_for 600 "$stops" --signals --count "$((LONG ? 100000 : 1000))"
  [ "$status" = 0 ] || fail "$(grep -v '	' "$tmp/out")"
}
it "no stop is lost when signals arrive every 0.1 ms during trace compilation" with_signals

shares() {
  rm -f "$tmp/state"
  for seed in 1 2; do
    run_for 60 "$stops" --count 10 --seed $seed --state "$tmp/state"
    exits 0
  done
  says out "20 stops"
}
it "the stop campaign continues with the totals of earlier runs" shares
