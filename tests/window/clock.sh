# Where ticks come from the clock: how many frames there are, and whether the process stood still, makes no other world.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

example=$root/scripts/examples/hierarchy # it draws, moves, and nobody plays it
run_for 60 "$release" run "$example" --headless --no-watch --seed 1 --ticks 120 --hash every=10
grep '^tick' "$tmp/out" >"$tmp/first"

lives_on() {
  start run "$example" --seed 1 --ticks 120 --hash every=10
  suspend_repeatedly "$program" 40
  wait_for 30 program_has_exited || fail "it does not end: $(tail -n 3 "$log")"
  grep '^tick' "$log" | cmp -s - "$tmp/first" || fail "another world: $(grep '^tick' "$log" | diff - "$tmp/first" | head -n 4)"
}
it "a window whose process is stopped and continued shows the world of a headless run" lives_on
