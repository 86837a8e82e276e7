# Packages and fullscreen games are held while a different window has the focus; --fullscreen and the stored setting.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

# make_game ID [FIELDS OF window]: writes a game that logs its ticks and whether it is fullscreen.
make_game() {
  game=$tmp/$1
  rm -rf "$game" && mkdir -p "$game/systems"
  echo "return { title = \"Held\", id = \"$1\", width = 320, height = 180, window = { ${2-} } }" >"$game/game.lua"
  cat >"$game/systems/log.lua" <<'LUA'
return { every = 3, update = function()
  log.info("tick %d, %s", world.tick, window.fullscreen() and "fullscreen" or "window")
end }
LUA
}
pack_game() { # pack_game PROGRAM: packs the game as $tmp/PROGRAM
  "$release" pack "$game" "$tmp/$1.data" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
  cp "$release" "$tmp/$1"
}
last_tick() { sed -n 's/.*tick \([0-9]*\),.*/\1/p' "$log" | tail -n 1; }
has_later_tick() {
  later=$(last_tick)
  [ "${later:-0}" -gt "$1" ]
}
runs() {
  tick=$(last_tick)
  wait_for 10 has_later_tick "${tick:-0}" || fail "no tick after ${tick:-0}: $(tail -n 3 "$log")"
}
# Two readings of the log, half a second apart, are equal: the last tick before the focus was lost may still be logged.
is_held() {
  tick=$(last_tick)
  sleep 0.5
  [ "$(last_tick)" = "$tick" ]
}
focus_other() { xdotool windowfocus "$other"; }
gains_focus() { # waits for the game's window, focuses it, and waits for ticks
  has_window Held
  focus
  runs
}

mkdir -p "$tmp/other"
echo 'return { title = "Other", width = 320, height = 180 }' >"$tmp/other/game.lua"
"$release" run "$tmp/other" >"$tmp/other.log" 2>&1 </dev/null &
beside=$!
trap 'kill $beside 2>/dev/null; cleanup' EXIT
other_opens() { has_window Other; }
it "the window of a different game opens" other_opens
other=$(head -n 1 "$tmp/window_id")

package_is_held() {
  gains_focus
  focus_other
  wait_for 10 is_held || fail "ticks continue without the focus: $(tail -n 3 "$log")"
  focus
  runs
}
# The game draws nothing, so that its window has one colour without the badge.
count_window_colours() {
  import -silent -window "$window" "$tmp/window.png" && convert "$tmp/window.png" -format '%k' info:
}
has_badge() { [ "$(count_window_colours)" -gt 8 ]; }
no_badge() { [ "$(count_window_colours)" = 1 ]; }
badge_is_shown() {
  gains_focus
  wait_for 10 no_badge || fail "a badge is shown with the focus: $(count_window_colours) colours"
  focus_other
  wait_for 10 has_badge || fail "no badge is shown while the game is held"
  focus
  wait_for 10 no_badge || fail "the badge is still shown: $(count_window_colours) colours"
}
closes_while_held() {
  focus_other
  wait_for 10 is_held || fail "ticks continue without the focus: $(tail -n 3 "$log")"
  kill -INT "$program"
  wait_for 10 program_has_exited || fail "still running after SIGINT"
}
make_game focus_package
pack_game held
launch "$tmp/held" --width 320 --height 180 --log info
it "a package is held while a different window has the focus" package_is_held
it "a badge shows that a package is held" badge_is_shown
it "a held package can be closed" closes_while_held
stop_program

runs_without_focus() {
  gains_focus
  focus_other
  runs
  ! is_held || fail "the game is held: $(tail -n 3 "$log")"
}
make_game focus_background "run_in_background = true"
pack_game background
launch "$tmp/background" --width 320 --height 180 --log info
it "a package with run_in_background runs without the focus" runs_without_focus
stop_program

make_game focus_window
start run "$game"
it "a game that is not packaged runs in a window without the focus" runs_without_focus
stop_program

# Without a window manager, X does not resize a fullscreen window, so the game starts with the size of the screen.
start run "$game" --fullscreen --width "$screen_width" --height "$screen_height"
it "a fullscreen game is held while a different window has the focus" package_is_held
it "a badge shows that a fullscreen game is held" badge_is_shown
runs_while_edited() {
  focus_other
  wait_for 10 is_held || fail "ticks continue without the focus: $(tail -n 3 "$log")"
  echo '-- edited' | cat "$game/systems/log.lua" - | save systems/log.lua
  runs
}
it "a fullscreen game that is edited runs without the focus" runs_while_edited
stop_program

# The settings file of an earlier run, in which the player has chosen a window.
make_game focus_settings
mkdir -p "$XDG_DATA_HOME/shoal/saves/focus_settings"
settings=$XDG_DATA_HOME/shoal/saves/focus_settings/game.settings.json
echo '{ "format": 1, "settings": { "fullscreen": false }, "bindings": {} }' >"$settings"
option_wins() {
  runs
  runs
  [ "$(log_since_mark | grep -c ', window')" = 0 ] || fail "not fullscreen: $(log_since_mark | tail -n 3)"
  grep -q '"fullscreen": *false' "$settings" || fail "the setting has changed: $(cat "$settings")"
}
start run "$game" --fullscreen
it "--fullscreen takes precedence over the stored setting and does not change this setting" option_wins
leaves_and_enters() {
  has_window Held
  focus
  mark_log
  xdotool key F11
  expect_log ", window"
  mark_log
  xdotool key F11
  expect_log ", fullscreen"
  wait_for 10 grep -q '"fullscreen": *true' "$settings" || fail "the setting was not written: $(cat "$settings")"
}
it "F11 leaves the fullscreen mode of --fullscreen, and F11 stores the setting" leaves_and_enters
stop_program
