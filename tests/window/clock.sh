# In a window, ticks follow the clock: neither the frame rate nor suspending the process may change the world.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

example=$root/scripts/examples/hierarchy # an example that draws and moves without input
run_for 60 "$release" run "$example" --headless --no-watch --seed 1 --ticks 120 --hash every=10
grep '^tick' "$tmp/out" >"$tmp/first"

same_hashes_when_suspended() {
  start run "$example" --seed 1 --ticks 120 --hash every=10
  suspend_repeatedly "$program" 40
  wait_for 30 program_has_exited || fail "the program does not exit: $(tail -n 3 "$log")"
  grep '^tick' "$log" | cmp -s - "$tmp/first" || fail "hashes differ: $(grep '^tick' "$log" | diff - "$tmp/first" | head -n 4)"
}
it "suspending the process during a windowed run gives the same hashes as a headless run" same_hashes_when_suspended

# frames_per_second MAX_FPS MAXIMUM: runs 120 ticks, and checks the number of frames in 60 ticks
frames_per_second() {
  mkdir -p "$tmp/frames/systems"
  echo 'return { width = 320, height = 180 }' >"$tmp/frames/game.lua"
  echo 'return { phase = "render", update = function() log.info("frame of tick %d", world.tick) end }' \
    >"$tmp/frames/systems/frames.lua"
  SHOAL_MAX_FPS=$1 start run "$tmp/frames" --seed 1 --ticks 120
  wait_for 30 program_has_exited || fail "the program does not exit: $(tail -n 3 "$log")"
  frames=$(grep 'frame of tick' "$log" | awk '{ print $NF }' | awk '$1 >= 30 && $1 < 90' | wc -l)
  { [ "$frames" -ge 1 ] && [ "$frames" -le "$2" ]; } || fail "$frames frames in 60 ticks"
}
it "a game renders at most 75 frames per second if the screen does not wait for frames" frames_per_second "" 75
it "SHOAL_MAX_FPS limits the frames per second" frames_per_second 10 12

refuses_frame_rate() {
  frames_per_second fast 75
  grep -q "SHOAL_MAX_FPS is 'fast': set it to a number of frames per second from 1 to 1000" "$log" || fail "$(cat "$log")"
}
it "an invalid value of SHOAL_MAX_FPS is reported with the valid range" refuses_frame_rate
