# F12 saves the last seconds as a recording, and renders the last ten seconds as a clip in a separate process.
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

# A recording starts at a whole second, so the game must run for two seconds before F12.
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

count_saved() { log_since_mark | grep -c "saved the last seconds to shoal-"; }
all_clips() { [ "$(ls "$tmp"/shoal-*.webp | wc -l)" = "$recordings" ]; }
press_is_refused() { xdotool key F12 && log_has "has been saved already"; } # two presses in one frame count as one

outlives_the_game() {
  rm -f "$tmp"/shoal-*
  mark_log
  xdotool key F12
  wait_for 20 log_has "saved the last seconds to shoal-" || fail "no recording: $(log_since_mark)"
  xdotool key F6 # paused, so that all following presses concern the same tick
  wait_for 20 press_is_refused || fail "no press was refused: $(log_since_mark)"
  kill "$program"
  wait_for 20 program_has_exited || fail "the game does not exit"
  recordings=$(count_saved)
  [ "$recordings" -ge 2 ] || fail "no second recording: $(log_since_mark)"
  [ "$(ls "$tmp"/shoal-*.replay | wc -l)" = "$recordings" ] || fail "a tick was saved twice: $(log_since_mark)"
  wait_for 60 all_clips || fail "missing clips: $(ls "$tmp"/shoal-*)"
}
it "two clips are completed even if the game ends earlier, and no tick is saved twice" outlives_the_game

# packs FIELDS: packs the game with these fields of game.lua, and starts the package.
packs() {
  rm -rf "$tmp/data" "$tmp/packed_game"
  cp -r "$game" "$tmp/packed_game"
  echo "return { title = \"Bouncer\", id = \"bouncer\", width = 320, height = 240, $1 }" >"$tmp/packed_game/game.lua"
  echo 'return { update = function() if world.tick % 30 == 0 then log.info("tick " .. world.tick) end end }' \
    >"$tmp/packed_game/systems/report.lua"
  echo 'return { phase = "render", update = function()
    if world.tick < 120 then
      draw.colour(1, 0, 0)
      draw.rect(0, 0, 40, 40)
    end
  end }' >"$tmp/packed_game/systems/early.lua" # a red square
  "$release" pack "$tmp/packed_game" "$tmp/packed.data" >"$tmp/pack.log" 2>&1 || fail "$(cat "$tmp/pack.log")"
  cp "$release" "$tmp/packed"
  launch env XDG_DATA_HOME="$tmp/data" "$tmp/packed" --log info
  has_window Bouncer
  focus
  wait_for 60 log_has "tick 150" || fail "the package does not run: $(tail -n 3 "$log")"
}
has_square() {
  import -silent -window "$window" "$tmp/early.png"
  convert "$tmp/early.png" -crop 20x20+10+10 +repage -resize 1x1! -format '%[fx:r > 0.9 && g < 0.1]' info: | grep -q 1
}
repeats_tick() { [ "$(grep -c "tick $1\$" "$log")" = 2 ]; }
in_a_package() {
  packs ""
  xdotool keydown F9
  wait_for 30 has_square || fail "the held key does not rewind to tick 120"
  xdotool keyup F9
  xdotool key F12
  wait_for 90 log_has "saved the clip" || fail "no clip: $(tail -n 3 "$log")"
  find "$tmp/data/shoal/clips/bouncer" -name '*.webp' | grep -q . || fail "no clip: $(find "$tmp/data")"
  find "$tmp/data/shoal/clips/bouncer" -name '*.replay' | grep . && fail "the recording of the clip is left"
  mark_log
  xdotool key space
  wait_for 30 repeats_tick 150 || fail "the game was not rewound: $(cat "$log")"
  stop_program
}
it "in a package, F9 rewinds and F12 saves a clip in the user's folder of clips" in_a_package

switched_off() {
  packs "rewind = false, clips = false"
  xdotool key F9 F9 F12
  wait_for 30 log_has "tick 240" || fail "F9 has paused the game: $(tail -n 3 "$log")"
  [ ! -e "$tmp/data/shoal/clips" ] || fail "F12 has saved a clip"
  stop_program
}
it "rewind = false and clips = false in game.lua disable F9 and F12 in a package" switched_off

needs_a_history() {
  rm -f "$tmp"/shoal-*
  start run "$game" --no-cockpit --history 0
  has_window Bouncer
  focus
  mark_log
  wait_for 20 refuses || fail "no message: $(log_since_mark)"
  ls "$tmp"/shoal-* 2>/dev/null && fail "a file was written"
  stop_program
}
refuses() { xdotool key F12 && log_has "replay: the history is disabled: set history in game.lua"; }
it "F12 without a history reports why it saves nothing" needs_a_history
