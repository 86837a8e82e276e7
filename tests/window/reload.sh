# Reloads as designers expect them where a screen is involved: the reload key and the error screen. The tests build on
# each other; tests without a screen are in tests/reload/expectations.sh.
# needs: release
. "$(dirname "$0")/../lib.sh"
screen_width=640 screen_height=360 # without a graphics card, a large image takes most of the CPU time
. "$root/tests/display.sh"

game=$tmp/painted
rm -rf "$game"
mkdir -p "$game/systems"
painter() { # COLOUR: saves a system that fills a corner of the screen
  echo "return { phase = \"render\", start = function() log.info(\"painter start\") end,
  update = function() draw.colour($1) draw.rect(40, 40, 200, 120) end }" | save systems/painter.lua
}
cat >"$game/game.lua" <<'END'
return { title = "Painted", width = 640, height = 360, start = function() log.info("game start") end }
END
corner() { # prints the colour of a pixel in the corner
  picture corner
  convert "$tmp/corner.png" -format '%[pixel:p{100,100}]' info:
}
corner_is() { case $(corner) in *"$1"*) ;; *) return 1 ;; esac; }
expect_corner() { wait_for 10 corner_is "$1" || fail "the corner is $(corner), expected $1: $(log_since_mark)"; }

echo 'return { update = function( this is no Lua' >"$game/systems/painter.lua"
start run "$game"
error_screen() {
  has_window Shoal
  wait_for 20 log_has systems/painter.lua:1 || fail "file and line are missing: $(cat "$log")"
  wait_for 10 with_card start || fail "no card: $(card_shown start) red pixels"
}
it "a game that cannot start shows the error screen" error_screen
focus
retries_on_f5() {
  mark_log
  xdotool key F5
  wait_for 10 log_has systems/painter.lua:1 || fail "the key has no effect: $(log_since_mark)"
  wait_for 10 with_card still || fail "the card is no longer shown"
}
it "F5 on the error screen tries to start the game again" retries_on_f5
starts_after_fix() {
  mark_log
  painter "1, 0, 0"
  wait_for 10 log_has "game start" || fail "the game does not start: $(log_since_mark)"
  expect_corner "(255,0,0)"
  wait_for 10 without_card mended || fail "the card is still shown: $(card_shown mended) red pixels"
}
it "a fix saved while the error screen is shown starts the game" starts_after_fix

reloads_on_f5() {
  has_window Painted
  focus
  mark_log
  xdotool key F5
  wait_for 10 log_has "reloaded all files" || fail "no reload: $(log_since_mark)"
  ! log_has "game start" || fail "the game has started again"
  ! log_has "painter start" || fail "the system has started again"
  expect_corner "(255,0,0)"
}
it "F5 reloads all files without calling start functions again" reloads_on_f5

syntax_error() {
  mark_log
  echo 'return { phase = "render", update = function() draw.rect(' | save systems/painter.lua
  wait_for 10 with_card kept || fail "no card: $(card_shown kept) red pixels"
  expect_corner "(255,0,0)"
  painter "0, 0, 1"
  expect_corner "(0,0,255)"
  wait_for 10 without_card kept_mended || fail "the card is still shown"
}
it "saving a syntax error shows an error card, and the old code keeps running" syntax_error

# recorded_now TICKS CONTEXT: F12 must save a recording of TICKS (a pattern) that replays.
recorded_now() {
  mark_log
  xdotool key F12
  wait_for 10 log_has "saved the last seconds to" || fail "no recording $2: $(log_since_mark)"
  recording=$(log_since_mark | sed -n 's/.*saved the last seconds to \(shoal-[0-9]*\.replay\)[:;].*/\1/p')
  run_for 60 "$release" run "$game" --headless --no-watch --replay "$recording"
  rm -f "$recording"
  exits 0
  grep -q "replay: $1 ticks match the recording" "$tmp/err" || fail "$2: $(tail -n 3 "$tmp/err")"
}
saves_recordings() {
  mark_log
  xdotool key F6 # held, so that no tick passes between the two keys
  xdotool key F5
  wait_for 10 log_has "reloaded all files" || fail "no reload: $(log_since_mark)"
  recorded_now 0 "right after a reload"
  mark_log
  xdotool key F6
  wait_for 10 some_ticks || fail "no tick was recorded after a reload: $(log_since_mark)"
}
some_ticks() { (recorded_now "[1-9][0-9]*" "after a reload") >/dev/null 2>&1; } # runs in a subshell, because a failure ends the shell
it "F12 saves a recording right after a reload, and recording continues" saves_recordings

restarts() {
  window_named Painted
  before=$(cat "$tmp/window_id")
  mark_log
  xdotool key ctrl+F5
  wait_for 10 log_has "restarted" || fail "no restart: $(log_since_mark)"
  log_has "game start" || fail "the game has not started again"
  window_named Painted
  [ "$(cat "$tmp/window_id")" = "$before" ] || fail "the window has changed"
  expect_corner "(0,0,255)"
}
it "Ctrl+F5 restarts the game in the same window" restarts
after_restart() { wait_for 10 some_ticks || fail "no recording after a restart: $(log_since_mark)"; }
it "F12 saves a recording after a restart" after_restart

# A change is tried in a child process while the game continues.
: >"$tmp/fields"
heat() { # MIGRATE: saves a component with a new field and this function
  echo >>"$tmp/fields" # counts in a file, because tests run in subshells
  echo "return { heat = { value = 0, field$(wc -l <"$tmp/fields") = 0, migrate = function() $1 end } }" | save components.lua
}
other_lines() { log_since_mark | grep -v 'ten ticks'; }
ten_ticks() { log_since_mark | sed '/migrate of heat/,$d' | grep -c 'ten ticks'; }
prepares_migration() {
  mark_log
  echo 'return { title = "Painted", width = 640, height = 360, budget = { load = 3000 },
    start = function() log.info("game start") end }' | save game.lua
  heat ""
  echo 'return { every = 10, update = function()
    if world.count("heat") == 0 then world.spawn(nil, { heat = {} }) end
    log.info("ten ticks")
  end }' | save systems/clock.lua
  wait_for 20 log_has "ten ticks" || fail "no ticks: $(log_since_mark)"
}
goes_on_while_trying() {
  prepares_migration
  mark_log
  heat "while true do end"
  wait_for 60 log_has "migrate of heat" || fail "the endless function was not stopped: $(log_since_mark)"
  [ "$(ten_ticks)" -ge 3 ] || fail "only $(ten_ticks)0 ticks while the change was tried: $(log_since_mark)"
}
it "the game continues while a change with an endless migrate function is tried" goes_on_while_trying
has_child() { pgrep -P "$program" >/dev/null; }
tries_newest_files() {
  mark_log
  heat "while true do end"
  wait_for 10 has_child || fail "the change is not tried"
  heat ""
  wait_for 20 log_has "reloaded components.lua" || fail "no reload: $(log_since_mark)"
  ! log_has "migrate of heat" || fail "the trial of the old version has ended first: $(log_since_mark)"
}
it "a change saved during the trial of an earlier change replaces the earlier change" tries_newest_files
loads_forever() {
  mark_log
  echo 'while true do end' | save systems/endless.lua
  wait_for 60 log_has "systems/endless.lua" || fail "the endless file was not stopped: $(other_lines)"
  ticks=$(log_since_mark | sed '/systems.endless/,$d' | grep -c 'ten ticks')
  [ "$ticks" -ge 3 ] || fail "only ${ticks}0 ticks while the file was loaded: $(other_lines)"
  rm "$game/systems/endless.lua"
  wait_for 30 log_has "refused change was reverted" || fail "no reload without the file: $(other_lines)"
}
it "the game continues while a file whose main chunk never returns is loaded" loads_forever
logs_once() {
  mark_log
  sed '1s/^/log.warn("the clock is loaded") print("the clock is printed") /' "$game/systems/clock.lua" >"$tmp/clock.lua"
  save systems/clock.lua <"$tmp/clock.lua"
  wait_for 20 log_has "reloaded systems/clock.lua" || fail "no reload: $(other_lines)"
  log_since_mark | sed -n '/the clock is/p; s/ in .*//; /^reloaded/p' >"$tmp/order"
  printf 'warn: the clock is loaded\nthe clock is printed\nreloaded systems/clock.lua\n' | cmp -s - "$tmp/order" ||
    fail "expected each line once, before the summary: $(other_lines)"
}
it "lines that a file logs and prints while it is loaded appear once, before the summary" logs_once
mark_log
rm "$game/systems/clock.lua" "$game/components.lua"
wait_for 10 log_has reloaded

# From here on the game handles window events, pauses while minimised, and refuses to close.
save systems/ears.lua <<'END'
return { phase = "input", on = { ["shoal.window"] = function(ev)
  for i = 1, ev.count do
    local kind = ev.kind[i]
    log.info("window %s %d %d full %s", kind, ev.width[i], ev.height[i], window.fullscreen())
    if kind == "minimised" or kind == "restored" then world.pause(kind == "minimised") end
    if kind == "minimised" then window.fullscreen(true) end
    if kind == "quit" then world.quit(false) end
  end
end } }
END
close() { luajit "$root/tests/window/close.lua" "$window"; }
expect_event() { # expect_event "EVENT" XDOTOOL-ARGUMENT…
  words=$1
  mark_log
  shift
  xdotool "$@" "$window"
  wait_for 10 log_has "window $words" || fail "no $words: $(log_since_mark)"
}
receives_window_events() {
  wait_for 10 log_has "reloaded systems/ears.lua" || fail "no reload: $(log_since_mark)"
  mark_log
  xdotool windowsize "$window" 320 240
  wait_for 10 log_has "window resized 320 240 full false" || fail "not resized: $(log_since_mark)"
  expect_event "minimised 320 240" windowunmap
  wait_for 10 log_has "window focus_lost" || fail "the minimised window keeps the keyboard focus: $(log_since_mark)"
  expect_event "restored" windowmap
  wait_for 10 log_has "window resized 640 360 full true" || fail "the window does not fill the screen: $(log_since_mark)"
  expect_event "focus_gained" windowfocus
}
it "systems receive window events, even while the game is paused, and window.fullscreen fills the screen" receives_window_events
refuses_to_close() {
  mark_log
  close
  wait_for 10 log_has "the game refused to close" || fail "the game did not receive the request: $(log_since_mark)"
  log_has "window quit" || fail "no event: $(log_since_mark)"
  recorded_now '[1-9][0-9]*' "of what the window did"
  ! program_has_exited || fail "the program exited"
}
it "a game can refuse to close its window, and the recording replays without a window" refuses_to_close
closes_on_second_request() {
  close
  close
  wait_for 10 program_has_exited || fail "the program is still running: $(log_since_mark)"
}
it "closing the window twice terminates a game that refuses to close" closes_on_second_request
stop_program
it "a program terminated by closing its window exits with status 0" expect_exit 0

start run "$game"
closes_hanging_game() {
  has_window Painted
  focus
  sed 's/world.quit(false)/world.quit(false) while true do end/' "$game/systems/ears.lua" >"$tmp/ears.lua"
  mark_log
  save systems/ears.lua <"$tmp/ears.lua"
  wait_for 10 log_has "reloaded systems/ears.lua" || fail "no reload: $(log_since_mark)"
  close
  wait_for 10 program_has_exited || fail "the program is still running: $(log_since_mark)"
  log_has "error in system ears" || fail "the loop was not stopped: $(log_since_mark)"
}
it "closing the window terminates a game that hangs in its quit handler" closes_hanging_game
stop_program
it "a program that hung in its quit handler exits with status 0" expect_exit 0

rm "$game/systems/ears.lua"
start run "$game"
closes_immediately() {
  has_window Painted
  focus
  close
  wait_for 10 program_has_exited || fail "the program is still running: $(log_since_mark)"
}
it "closing the window terminates a game without a quit handler" closes_immediately
stop_program
it "a program without a quit handler exits with status 0" expect_exit 0
