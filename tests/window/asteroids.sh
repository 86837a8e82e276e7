# Asteroids in a real window: keys, screenshots, and systems edited while it runs. The tests read the game's state from
# lines that probe.lua logs, and its image from screenshots. Each test depends on the tests before it.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

game=$tmp/asteroids
cp -R "$root/scripts/games/asteroids" "$game"
cp "$root/tests/window/probe.lua" "$game/systems/zz_probe.lua"
echo 'return { phase = "render", update = function() log.info("frame of tick %d", world.tick) end }' \
  >"$game/systems/zz_frames.lua"
# The ship cannot die during the test: no saucers, and rocks do not move.
sed -e 's/speed = [0-9]*, spread = [0-9]*/speed = 0, spread = 0/' -e 's/saucer_first = [0-9]*/saucer_first = 100000/' \
  "$root/scripts/games/asteroids/tuning.lua" >"$game/tuning.lua"

probe() { grep '^.*probe tick=.* end' "$log" | tail -n 1 | sed "s/.* $1=\([^ ]*\) .*/\1/"; } # FIELD
probe_is() { [ "$(probe "$1")" = "$2" ]; }
probe_moves() { # FIELD OPERATOR VALUE, for example speed '>' 10
  awk -v a="$(probe "$1")" -v b="$3" "BEGIN { exit !(a $2 b) }"
}
expect_tick() { # waits for the next tick
  tick=$(probe tick)
  wait_for 10 probe_moves tick '>' "$tick" || fail "no tick after $tick: $(tail -n 3 "$log")"
}

# Without a graphics card, rendering a large image takes most of the CPU time, especially the nebula.
sed -i '/"nebula"/d' "$game/game.lua"
start run "$game" --seed 3 --width 640 --height 360

opens() {
  wait_for 30 probe_is phase title || fail "no title screen: $(tail -n 5 "$log")"
  has_window Rockfall
}
it "the game opens a window with the title screen" opens
focus

not_blank() {
  wait_for 10 colourful title || fail "only $(colours title) colours on the screen"
}
it "the title screen is not blank" not_blank

starts() {
  xdotool key space
  wait_for 10 probe_is phase playing || fail "phase $(probe phase) after space"
  wait_for 10 probe_moves rocks '>' 2 || fail "$(probe rocks) rocks"
  [ "$(probe ship)" != none ] || fail "no ship"
}
it "the space key starts the game" starts

turns() { # turns KEY "<" or ">"
  angle=$(probe angle)
  xdotool keydown "$1"
  wait_for 5 probe_moves angle "$2" "$angle" || { xdotool keyup "$1"; fail "angle stays $(probe angle)"; }
  xdotool keyup "$1"
}
it "holding the left key turns the ship left" turns Left '<'
it "holding the right key turns the ship right" turns Right '>'

flies() {
  xdotool keydown Up
  wait_for 5 probe_moves speed '>' 20 || { xdotool keyup Up; fail "speed $(probe speed)"; }
  xdotool keyup Up
}
it "the thrust key moves the ship" flies

fires() {
  xdotool keydown space
  wait_for 5 probe_moves bullets '>' 0 || { xdotool keyup space; fail "no bullet"; }
  xdotool keyup space
}
it "the fire key creates bullets" fires

steering=systems/steering.lua
cp "$game/$steering" "$tmp/steering.lua"

remember_world() {
  wait_for 10 probe_is bullets 0 || fail "bullets that could split a rock still fly" # bullets of an earlier test
  kept_ship=$(probe ship) kept_rocks=$(probe rocks) kept_tick=$(probe tick)
}
world_is_kept() {
  expect_tick
  [ "$(probe ship)" = "$kept_ship" ] || fail "ship $(probe ship), was $kept_ship"
  [ "$(probe rocks)" = "$kept_rocks" ] || fail "$(probe rocks) rocks, were $kept_rocks"
  probe_moves tick '>' "$kept_tick" || fail "tick $(probe tick) after $kept_tick"
  probe_is phase playing || fail "phase $(probe phase)"
}

edit_applies() {
  remember_world
  mark_log
  sed 's/turn\[i\] \* rate\[i\]/-turn[i] * rate[i]/' "$tmp/steering.lua" | save "$steering"
  ! cmp -s "$tmp/steering.lua" "$game/$steering" || fail "the test's edit of $steering changes nothing"
  wait_for 10 log_has "reloaded $steering" || fail "no reload: $(log_since_mark | tail -n 3)"
  log_has steering.lua || fail "the reload does not name the file"
  turns Left '>'
  world_is_kept
}
it "saving an edited system changes the running game and keeps the world" edit_applies

refused() {
  remember_world
  mark_log
  printf 'return {\n  update = function(q dt) end,\n}\n' | save "$steering"
  wait_for 10 log_has "steering.lua:2" || fail "no message with file and line: $(log_since_mark | tail -n 3)"
  world_is_kept
  wait_for 10 with_card refused || fail "no card: $(card_shown refused) red pixels"
  turns Left '>'
}
it "saving a syntax error shows an error card, and the old code keeps running" refused

recovers() {
  remember_world
  mark_log
  save "$steering" <"$tmp/steering.lua"
  wait_for 10 log_has "reloaded" || fail "no reload: $(log_since_mark | tail -n 3)"
  wait_for 10 without_card recovered || fail "the card is still shown: $(card_shown recovered) red pixels"
  turns Left '<'
  world_is_kept
}
it "saving a fix loads the file and removes the error card" recovers

parks() {
  remember_world
  mark_log
  sed 's/local share/error("on purpose") local share/' "$tmp/steering.lua" | save "$steering"
  wait_for 10 log_has "on purpose" || fail "no message: $(log_since_mark | tail -n 3)"
  log_has "steering.lua:6" || fail "file and line are missing: $(log_since_mark | tail -n 3)"
  world_is_kept
  wait_for 10 with_card parked || fail "no card: $(card_shown parked) red pixels"
  [ "$(log_since_mark | grep -c 'on purpose')" -le 3 ] || fail "the message is repeated: $(log_since_mark | grep -c 'on purpose') times"
}
it "a failing system is parked and shown on an error card, and the game continues" parks
it "saving a fix resumes a failed system" recovers

adds_and_removes_system() {
  mark_log
  save systems/zz_new.lua <<'END'
return { phase = "update", every = 6, update = function() log.info("new system here") end }
END
  wait_for 10 log_has "new system here" || fail "the new system does not run: $(log_since_mark | tail -n 3)"
  mark_log
  rm "$game/systems/zz_new.lua"
  wait_for 10 log_has "reloaded" || fail "no reload after the file was deleted: $(log_since_mark | tail -n 3)"
  mark_log
  expect_tick
  ! log_has "new system here" || fail "the system of the deleted file still runs"
}
it "creating a file adds its system, and deleting the file removes the system" adds_and_removes_system

changed_schema() {
  remember_world
  cp "$game/components.lua" "$tmp/components.lua"
  mark_log
  sed 's/motion = {/motion = { mass = 1,/' "$tmp/components.lua" | save components.lua
  ! cmp -s "$tmp/components.lua" "$game/components.lua" || fail "the test's edit changes nothing"
  wait_for 10 log_has components.lua || fail "the edit was not detected: $(tail -n 3 "$log")"
  world_is_kept
  mark_log
  save components.lua <"$tmp/components.lua"
  wait_for 10 log_has "reloaded" || fail "the restored file was not reloaded: $(log_since_mark | tail -n 3)"
  world_is_kept
}
it "saving an edited components.lua is logged, and the world is kept" changed_schema

last_frame() { log_since_mark | sed -n 's/.*frame of tick \([0-9]*\)$/\1/p' | tail -n 1; }
frozen() { # succeeds if the last thirty frames since mark_log show the same tick
  log_since_mark | sed -n 's/.*frame of tick //p' | tail -n 30 | uniq -c | awk '{ same = $1 } END { exit !(same >= 30) }'
}
pauses() {
  mark_log
  xdotool key p
  wait_for 30 frozen || fail "ticks continue in a paused game"
  xdotool key p
  expect_tick
}
it "the p key pauses and resumes the game" pauses

has_stepped_back() { frozen && [ "$(last_frame)" -lt "$held" ]; }
replays_input() {
  expect_tick
  mark_log
  xdotool key F6
  wait_for 30 frozen || fail "ticks continue in a game that is held"
  held=$(last_frame)
  for step in 1 2 3 4 5 6 7 8 9 10 11 12; do xdotool key F9; done
  mark_log
  wait_for 30 has_stepped_back || fail "the game did not step back from tick $held: $(last_frame)"
  mark_log
  xdotool key F7
  wait_for 10 log_has "history: the replay ended at tick" || fail "the past was not replayed: $(log_since_mark | grep -v probe | tail -n 3)"
  log_has "no differences" || fail "the replay differs: $(log_since_mark | grep past:)"
  expect_tick
}
it "F6 holds the game, F9 steps back, and F7 replays the recorded input" replays_input

resizes() {
  xdotool windowsize "$window" 900 700
  wait_for 10 colourful resized 900x700+0+0 || fail "only $(colours resized 900x700+0+0) colours after a resize"
  expect_tick
}
it "a resized window is redrawn" resizes

saves_screenshot() {
  xdotool key F2
  wait_for 10 sh -c "ls '$tmp'/shoal-*.png >/dev/null 2>&1" || fail "no screenshot after F2"
  [ "$(convert "$tmp"/shoal-*.png -format '%k' info:)" -gt 300 ] || fail "the screenshot is blank"
}
it "F2 saves a screenshot" saves_screenshot

ends_on_sigint() {
  kill -INT "$program"
  wait_for 10 program_has_exited || fail "still running after SIGINT"
}
it "SIGINT terminates a program with a window" ends_on_sigint
stop_program
it "a program terminated by SIGINT exits with status 0" expect_exit 0
