# Inspections by the cockpit's clients must not change a world: in each tick, its hash equals the hash of a world
# without clients. library.sh has the same test for the queries of a host.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
cp -r "$root/tests/scenarios/games/inspected" .

inspected() {
  launch_cockpit "$release" run inspected --headless --seed 7 --hash every=1 --no-watch
  check_cockpit inspects
  wait_for 20 has_exited "$program" || fail "the game did not exit"
  grep '^tick .* hash ' "$log" | head -n 220 >watched
  run_for 60 "$release" run inspected --headless --seed 7 --ticks 600 --hash every=1
  exits 0
  watched_ticks=$(tail -n 1 watched | cut -d ' ' -f 2)
  [ "$(wc -l <watched)" = 220 ] || fail "expected 220 ticks with clients, got $(wc -l <watched), up to $watched_ticks"
  while read -r line; do
    grep -qxF "$line" out || fail "a world with clients has another hash: $line, expected $(grep "^tick $(echo "$line" | cut -d ' ' -f 2) " out)"
  done <watched
}
it "a world that cockpit clients inspect has the same hash in each tick as a world without clients" inspected
