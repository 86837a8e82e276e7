# Time under the player's control: holding F9 rewinds, holding F10 goes forward, Space continues. Each test depends on
# the tests before it.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
mkdir -p roll/systems
cat >roll/game.lua <<'END2'
return { title = "Roll", start = function() world.spawn_many("ball", 3000) end }
END2
cat >roll/components.lua <<'END2'
return { roll = { vx = 1, bounces = 0 } }
END2
cat >roll/assemblages.lua <<'END2'
return { ball = { components = { transform = {}, roll = {}, shape = { radius = 4 } } } }
END2
cat >roll/systems/roll.lua <<'END2'
return { query = { "transform", "roll" }, update = function(q)
  for i = 1, q.count do
    q.transform.x[i] = (q.transform.x[i] + q.roll.vx[i] * (1 + i % 7)) % 1280
    q.roll.bounces[i] = q.roll.bounces[i] + 1
  end
end }
END2

query() { "$release" ask "$port" "$@" 2>&1 | tail -n 1; }
tick() { query "SELECT max(bounces) FROM roll" | tr -d ' '; } # every tick adds one
is_before() { [ "$(tick)" -lt "$1" ]; }
is_tick() { [ "$(tick)" = "$1" ]; }
is_after() { [ "$(tick)" -gt "$1" ]; }
stands_still() { seen=$(tick) && query "SELECT 1" >/dev/null && [ "$(tick)" = "$seen" ]; }
# Succeeds if the panel of the scrub bar covers the lower edge of the plain background.
has_scrub_bar() { picture bar && [ "$(colours bar 1000x18+140+700)" -gt 20 ]; }
no_scrub_bar() { picture bar && [ "$(colours bar 1000x18+140+700)" -lt 12 ]; }

launch_cockpit "$release" run roll --seed 1 --no-watch --history 32 --record roll.replay --hash --log info

rewinds() {
  has_window Roll
  wait_for 30 is_after 200 || fail "the game does not run: $(tail -n 3 "$log")"
  focus
  xdotool keydown F9
  wait_for 30 is_before 120 || fail "F9 did not rewind: tick $(tick)"
  wait_for 10 has_scrub_bar || fail "the bar is missing"
  xdotool keyup F9
  wait_for 20 stands_still || fail "the game is not paused after the release"
}
it "holding F9 rewinds the game, and releasing F9 pauses it" rewinds

saves_what_was_rewound() {
  mark_log
  xdotool key F12
  wait_for 60 log_has "saved the clip shoal-" || fail "no clip: $(log_since_mark)"
  run_for 60 "$release" run roll --replay "$(ls shoal-*.replay)" --headless --ticks 1
  exits 0
}
it "F12 after a rewind saves the seconds that were played before the rewind" saves_what_was_rewound

forward() {
  from=$(tick)
  xdotool keydown F10
  wait_for 30 is_after $((from + 60)) || fail "F10 did not go forward: tick $(tick)"
  xdotool keyup F10
  wait_for 20 stands_still || fail "the game is not paused after the release"
}
it "holding F10 after a rewind moves the game forward again" forward

taps() {
  from=$(tick)
  xdotool key F9 F9 F9 F10
  wait_for 20 is_tick $((from - 2)) || fail "three taps of F9 and one of F10 moved from tick $from to $(tick)"
}
it "a tap of F9 or F10 moves exactly one tick" taps

# The bar's track spans the window's width.
drags() {
  xdotool mousemove 80 709 mousedown 1 # about 6 % of the known ticks
  wait_for 20 is_before 60 || fail "a press on the bar did not move: tick $(tick)"
  xdotool mousemove 1000 709
  wait_for 20 is_after 120 || fail "the drag did not move: tick $(tick)"
  xdotool mousemove 80 600
  wait_for 20 is_before 60 || fail "the drag does not continue outside the bar: tick $(tick)"
  xdotool mouseup 1
  wait_for 20 stands_still || fail "the world moves after the release"
}
it "dragging the scrub bar with the mouse moves to earlier and later ticks" drags

hovers() {
  xdotool mousemove 640 709
  sleep 6 # longer than the bar stays open by itself
  has_scrub_bar || fail "the bar has closed under the mouse"
  xdotool mousemove 640 200
}
it "the scrub bar stays open while the mouse is over it" hovers

# The text at the left end of the scrub bar, which no closed panel of the overlay covers.
has_seconds() { picture seconds && [ "$(colours seconds 220x18+30+700)" -gt 8 ]; }
# The overlay's time bar is docked below the picture, which is then smaller, so the bar's text would appear higher.
no_seconds() {
  picture seconds && [ "$(colours seconds 1000x10+40+684)" -gt 8 ] && [ "$(colours seconds 220x14+60+658)" -lt 5 ]
}
hides_under_overlay() {
  xdotool key F9
  wait_for 10 has_seconds || fail "the bar is missing: $(colours seconds 220x18+30+700) colours"
  xdotool key F1
  wait_for 10 no_seconds || fail "two timelines are shown: $(colours seconds 220x14+60+658) colours"
  xdotool key F1 F9
  wait_for 10 has_seconds || fail "the bar is missing after the overlay: $(colours seconds 220x18+30+700) colours"
}
it "the open overlay hides the scrub bar, because the overlay has its own timeline" hides_under_overlay

plays_on() {
  from=$(tick)
  xdotool key space
  wait_for 20 is_after $((from + 30)) || fail "Space did not play on: tick $(tick)"
  wait_for 20 no_scrub_bar || fail "the bar is still shown"
}
it "Space resumes the game and hides the scrub bar" plays_on

replays() {
  stop_program
  "$release" run roll --replay roll.replay --headless >replay.log 2>&1 || fail "the replay failed: $(tail -n 3 replay.log)"
}
it "a recording with rewinds replays without differences" replays

# Succeeds if the bar is at the upper edge and not at the lower edge.
is_at_top() { has_bar_at 2 && ! has_bar_at 700; }
has_toast_at() { picture toast && [ "$(colours toast "200x36+1060+$1")" -gt 12 ]; }
has_bar_at() { picture bar && [ "$(colours bar 1000x18+140+$1)" -gt 12 ]; }
avoids_the_hero() {
  echo 'return { title = "Roll", start = function()
  world.spawn("ball", { name = "hero", transform = { x = 640, y = 640 } }) end }' >roll/game.lua
  launch_cockpit "$release" run roll --seed 1 --no-watch --history 32 --log info
  has_window Roll
  wait_for 30 is_after 60 || fail "the game does not run: $(tail -n 3 "$log")"
  focus
  xdotool key F12
  wait_for 20 has_toast_at 20 && ! has_toast_at 640 || fail "the toast is not at the top, although the hero is at the bottom"
  xdotool key F9
  wait_for 20 is_at_top || fail "the bar is not at the top, although the hero is at the bottom"
  stop_program
}
it "the scrub bar and toasts appear at the upper edge if the hero is at the lower edge" avoids_the_hero
