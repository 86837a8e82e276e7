# What designers expect of a reload where there is a screen: a key, and the error screen. The tests are one story,
# told in order; what needs no screen is in tests/reload/expectations.sh.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

game=$tmp/painted
rm -rf "$game"
mkdir -p "$game/systems"
painter() { # painter COLOUR: a system that fills a corner of the screen
  echo "return { phase = \"render\", start = function() log.info(\"painter start\") end,
  update = function() draw.colour($1) draw.rect(40, 40, 200, 120) end }" | save systems/painter.lua
}
cat >"$game/game.lua" <<'END'
return { title = "Painted", width = 1280, height = 720, start = function() log.info("game start") end }
END
corner() { # the colour of a pixel in the corner
  picture corner
  convert "$tmp/corner.png" -format '%[pixel:p{100,100}]' info:
}
corner_is() { case $(corner) in *"$1"*) ;; *) return 1 ;; esac; }
paints() { within 10 corner_is "$1" || fail "the corner is $(corner) and not $1: $(since)"; }

echo 'return { update = function( this is no Lua' >"$game/systems/painter.lua"
start run "$game"
error_screen() {
  has_window Shoal
  within 20 said systems/painter.lua:1 || fail "no file and line: $(cat "$log")"
  within 10 with_card start || fail "no card: $(card_shown start) red pixels"
}
it "a game that cannot start shows the error screen" error_screen
focus
still() {
  mark
  xdotool key F5
  within 10 said systems/painter.lua:1 || fail "the key does nothing: $(since)"
  within 10 with_card still || fail "the card is gone"
}
it "the key tries again on the error screen" still
from_there() {
  mark
  painter "1, 0, 0"
  within 10 said "game start" || fail "it does not start: $(since)"
  paints "(255,0,0)"
  within 10 without_card mended || fail "the card stays: $(card_shown mended) red pixels"
}
it "works from the error screen" from_there

a_key() {
  has_window Painted
  focus
  mark
  xdotool key F5
  within 10 said "reloaded all files" || fail "no reload: $(since)"
  ! said "game start" || fail "the game has started again"
  ! said "painter start" || fail "the system has started again"
  paints "(255,0,0)"
}
it "a key reloads all files and starts nothing again" a_key

kept() {
  mark
  echo 'return { phase = "render", update = function() draw.rect(' | save systems/painter.lua
  within 10 with_card kept || fail "no card: $(card_shown kept) red pixels"
  paints "(255,0,0)"
  painter "0, 0, 1"
  paints "(0,0,255)"
  within 10 without_card kept_mended || fail "the card stays"
}
it "a syntax error keeps old code on the screen, under a card" kept

# recorded_now "HOW MANY" FOR: F12 leaves a recording that plays.
recorded_now() {
  mark
  xdotool key F12
  within 10 said "saved the last seconds to" || fail "no recording $2: $(since)"
  recording=$(since | sed -n 's/.*saved the last seconds to \(shoal-[0-9]*\.replay\)[:;].*/\1/p')
  run_for 60 "$release" run "$game" --headless --no-watch --replay "$recording"
  rm -f "$recording"
  exits 0
  grep -q "replay: $1 ticks match the recording" "$tmp/err" || fail "$2: $(tail -n 3 "$tmp/err")"
}
excerpts() {
  mark
  xdotool key F6 # no tick passes between the two keys
  xdotool key F5
  within 10 said "reloaded all files" || fail "no reload: $(since)"
  recorded_now 0 "right after a reload"
  mark
  xdotool key F6
  within 10 some_ticks || fail "no tick was recorded after a reload: $(since)"
}
some_ticks() { recorded_now '[1-9][0-9]*' "after a reload" >/dev/null 2>&1; }
it "F12 right after a reload records, and goes on recording" excerpts

restarts() {
  window_named Painted
  before=$(cat "$tmp/window_id")
  mark
  xdotool key ctrl+F5
  within 10 said "restarted" || fail "no restart: $(since)"
  said "game start" || fail "the game has not started again"
  window_named Painted
  [ "$(cat "$tmp/window_id")" = "$before" ] || fail "another window"
  paints "(0,0,255)"
}
it "Ctrl+F5 starts the game again in the same window" restarts
after_restart() { within 10 some_ticks || fail "no recording after a restart: $(since)"; }
it "F12 records after a restart as well" after_restart

# From here on the game listens to its window, pauses while it is minimised, and refuses to be closed.
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
hears() { # hears "WORDS" XDOTOOL-WORD…
  words=$1
  mark
  shift
  xdotool "$@" "$window"
  within 10 said "window $words" || fail "no $words: $(since)"
}
listens() {
  within 10 said "reloaded systems/ears.lua" || fail "no reload: $(since)"
  mark
  xdotool windowsize "$window" 640 480
  within 10 said "window resized 640 480 full false" || fail "not resized: $(since)"
  hears "minimised 640 480" windowunmap
  within 10 said "window focus_lost" || fail "it keeps the keys: $(since)"
  hears "restored" windowmap
  within 10 said "window resized 1280 720 full true" || fail "it does not fill the screen: $(since)"
  hears "focus_gained" windowfocus
}
it "a system hears what happens to the window, in a pause too, and window.fullscreen fills the screen" listens
refuses() {
  mark
  close
  within 10 said "the game refused to close" || fail "it is not asked: $(since)"
  said "window quit" || fail "no event: $(since)"
  recorded_now '[1-9][0-9]*' "of what the window did"
  ! not_running || fail "it has ended"
}
it "a game may refuse to be closed, and without a window all of it is lived again" refuses
twice() {
  close
  close
  within 10 not_running || fail "it goes on: $(since)"
}
it "closing it twice in a row always ends it" twice
over
it "and it ends with status 0" ended_with 0

start run "$game"
stuck() {
  has_window Painted
  focus
  sed 's/world.quit(false)/world.quit(false) while true do end/' "$game/systems/ears.lua" >"$tmp/ears.lua"
  mark
  save systems/ears.lua <"$tmp/ears.lua"
  within 10 said "reloaded systems/ears.lua" || fail "no reload: $(since)"
  close
  within 10 not_running || fail "it goes on: $(since)"
  said "error in system ears" || fail "the loop was not stopped: $(since)"
}
it "a game that hangs when it is asked is closed" stuck
over
it "which is status 0 as well" ended_with 0

rm "$game/systems/ears.lua"
start run "$game"
at_once() {
  has_window Painted
  focus
  close
  within 10 not_running || fail "it goes on: $(since)"
}
it "a game that does not listen is closed at once" at_once
over
it "with status 0" ended_with 0
