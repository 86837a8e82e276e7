# F12 saves the last seconds as a recording and, from a child process, the last ten as a clip.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

game=$tmp/bouncer
mkdir -p "$game/systems"
echo 'return { title = "Bouncer", width = 320, height = 240 }' >"$game/game.lua"
cat >"$game/systems/ball.lua" <<'END'
return {
  phase = "render",
  update = function() draw.circle(160 + 100 * math.sin(world.tick / 20), 120, 20, true) end,
}
END

# A recording starts at a whole second, so F12 needs two of them.
echo 'return { update = function() if world.tick == 120 then log.info("two seconds have passed") end end }' \
  >"$game/systems/report.lua"

rm -f "$tmp"/shoal-*
start run "$game" --no-cockpit

renders_a_clip() {
  has_window Bouncer
  focus
  wait_for 30 log_has "two seconds have passed" || fail "the game does not run: $(tail -n 3 "$log")"
  mark_log
  xdotool key F12
  wait_for 20 log_has "saved the last seconds to shoal-" || fail "no recording: $(log_since_mark)"
  wait_for 60 log_has "saved the clip shoal-" || fail "no clip: $(log_since_mark)"
  program_has_exited && fail "the game has exited: $(tail -n 3 "$log")"
  recording=$(ls "$tmp"/shoal-*.replay) clip=$(ls "$tmp"/shoal-*.webp)
  run_for 60 "$release" clip "$game" --replay "$recording" --last 10 --size 320x240 --out "$tmp/again.webp"
  exits 0
  cmp "$tmp/again.webp" "$clip" || fail "the clip differs from a clip of the recording"
}
it "F12 saves a recording, and the clip of its last ten seconds, while the game continues" renders_a_clip

outlives_the_game() {
  rm -f "$tmp"/shoal-*
  mark_log
  xdotool key F12
  wait_for 20 log_has "saved the last seconds to shoal-" || fail "no recording: $(log_since_mark)"
  kill "$program"
  wait_for 20 program_has_exited || fail "the game does not exit"
  wait_for 60 test -e "$(ls "$tmp"/shoal-*.replay | sed 's/replay$/webp/')" || fail "no clip"
}
it "a clip is finished even if the game ends before" outlives_the_game
