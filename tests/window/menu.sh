# The menu of games, its error messages, and games that cannot start.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
rm -rf "$tmp/data" # the menu remembers its place between runs
export XDG_DATA_HOME="$tmp/data"

menu_is_shown() {
  has_window Shoal
  wait_for 10 colourful menu || fail "only $(colours menu) colours on the screen"
}
# message_shown IMAGE: prints the number of pixels in the colour of the menu's message.
message_shown() {
  convert "$tmp/$1.png" -crop 1280x360+0+60 +repage -fuzz 10% -fill black +opaque '#ffb859' -fuzz 0 -fill white \
    +opaque black -format '%[fx:int(mean*w*h)]' info:
}
with_message() { picture "$1" && [ "$(message_shown "$1")" -gt 25 ]; }

small="--width 640 --height 360" # without a graphics card, a large image takes most of the CPU time
# shellcheck disable=SC2086
start play $small
it "./shoal play without a game shows the menu" menu_is_shown
focus
key_does() { # KEY LINE: presses the key, and waits until the log has the line
  mark_log
  xdotool key "$1"
  wait_for 20 log_has "menu: $2" || fail "$1 does not lead to “$2”: $(log_since_mark)"
}
stays() { # the question has the buttons Stay, which Escape presses, and Quit
  key_does Escape "asks whether to quit"
  key_does Escape stays
  key_does Escape "asks whether to quit"
  key_does Return stays
  key_does Right ""
  ! program_has_exited || fail "the program exited"
}
it "the Escape key asks whether to quit, and Escape or Return then stay in the menu" stays
selected() { sed -n 's/^menu: //p' "$log" | tail -n 1; } # prints the tile or example that was selected last
# A slow machine may repeat the key, so any tile may be selected.
selects_tile() {
  mark_log
  xdotool key Down
  wait_for 20 log_has "menu: " || fail "no other tile is selected: $(cat "$log")"
}
it "the arrow keys move the selection to a different tile" selects_tile
opens_a_game() {
  mark_log
  xdotool key Return
  wait_for 20 log_has ": seed" || fail "no game starts: $(tail -n 3 "$log")"
  selected >"$tmp/tile" # the selection no longer changes
  wait_for 10 colourful game || fail "only $(colours game) colours on the screen"
}
it "the Return key opens the selected game" opens_a_game
stop_program
it "SIGINT terminates a game opened from the menu with status 0" expect_exit 0

# Starts the program as a file manager does: without arguments, from a different folder, without SHOAL_ROOT.
moved=$tmp/moved
place=${release#"$root"}
mkdir -p "$moved${place%/*}"
cp -r "$root/scripts" "$root/assets" "$moved"
cp "$release" "$moved$place"
cp -r "${release%/bin/*}/plugins" "$moved${place%/bin/*}"
from_a_file_manager() { cd / && exec env -u SHOAL_ROOT "$moved$place"; }
launch from_a_file_manager
it "the program without arguments shows the menu, even from a moved folder and a different working directory" \
  menu_is_shown
focus
selects_tile_again() {
  wait_for 10 log_has "menu: " || fail "no tile is selected: $(cat "$log")"
  [ "$(selected)" = "$(cat "$tmp/tile")" ] || fail "$(selected) is selected, not $(cat "$tmp/tile")"
}
it "the menu selects the tile that was selected in the previous run" selects_tile_again
opens_example_from_source() {
  mark_log
  xdotool mousemove --window "$window" 947 365 click 1 # the last tile, which opens the examples
  wait_for 20 log_has "menu: behaviours" || fail "the examples are not shown: $(log_since_mark)"
  key_does Tab "source shoal play behaviours"
  key_does Escape behaviours
  key_does Tab source
  xdotool key Return
  wait_for 20 log_has "Behaviours: cats and mice: seed" || fail "the example does not start: $(tail -n 3 "$log")"
}
it "Tab shows an example's source and the command to start it, Escape leaves the source, and Return opens the example" \
  opens_example_from_source
leaves_the_example() {
  mark_log
  xdotool key Escape
  wait_for 20 log_has "Press Escape again" || fail "no hint: $(log_since_mark)"
  xdotool key Escape
  wait_for 20 log_has "menu: behaviours" || fail "the menu is not shown: $(log_since_mark)"
}
it "Escape, pressed twice, leaves an example that has no way back to the menu" leaves_the_example
asks_in_the_next_example() { # within the seconds that the second press may take
  mark_log
  xdotool key Return
  wait_for 20 log_has "Behaviours: cats and mice: seed" || fail "the example does not start: $(tail -n 3 "$log")"
  mark_log
  xdotool key Escape
  wait_for 20 log_has "Press Escape again" || fail "no hint: $(log_since_mark)"
}
it "the first Escape in the next example only shows the hint again" asks_in_the_next_example
stop_program
it "SIGINT terminates the moved program with status 0" expect_exit 0

# shellcheck disable=SC2086
start play $small
shows_examples() {
  has_window Shoal
  wait_for 20 log_has "menu: behaviours" || fail "the examples are not shown: $(cat "$log")"
}
it "the menu shows the examples again if a game was opened from them" shows_examples
focus
opens_tile_by_click() { # the window has half the menu's size
  xdotool key Escape
  wait_for 10 log_has "menu: examples" || fail "the shelf is not shown: $(cat "$log")"
  xdotool mousemove --window "$window" 269 100 click 1
  wait_for 20 log_has "Intruders: seed" || fail "Invaders does not start: $(cat "$log")"
}
it "Escape leaves the examples, and a click on a tile opens its game" opens_tile_by_click
stop_program

fish_avoid_texts() {
  run_for 60 "$release" sql "$root/scripts/shoal/menu" \
    "SELECT count(*), min(x) > 680, max(y) <= 104 FROM swim JOIN transform USING (entity)" --ticks 1200
  exits 0
  tail -n 1 "$tmp/out" | grep -qE '90 +1 +1' || fail "$(cat "$tmp/out")"
}
it "the menu's fish do not swim over its text" fish_avoid_texts

folders() { find "$root/scripts/$1" -mindepth 2 -maxdepth 2 -name game.lua | wc -l; }
counts_games() {
  run_for 60 "$release" sql "$root/scripts/shoal/menu" \
    "SELECT text FROM label JOIN name USING (entity) WHERE value = 'message'" --ticks 3
  exits 0
  grep -qF "$(folders games) games and $(folders examples) examples to play" "$tmp/out" || fail "$(cat "$tmp/out")"
}
it "the menu's first line counts the games and the examples" counts_games

shows_message() { # IMAGE TEXT
  menu_is_shown
  wait_for 10 with_message "$1" || fail "no message on the screen: $(message_shown "$1") pixels of it"
  ! program_has_exited || fail "the program exited"
  log_has "$2" || fail "the terminal does not show the message: $(cat "$log")"
}
closes_on_escape() {
  xdotool key Escape
  wait_for 10 program_has_exited || fail "still running after Escape"
}

# shellcheck disable=SC2086
start play nosuchgame $small
it "an unknown game shows the menu with a message" shows_message no_game "unknown game “nosuchgame”"
focus
quits_after_question() {
  key_does Escape "asks whether to quit"
  xdotool key --delay 300 Down Return
  wait_for 10 program_has_exited || fail "still running after the question"
}
it "the menu quits when the player confirms the question" quits_after_question
stop_program

mkdir -p empty_folder
# shellcheck disable=SC2086
start run empty_folder $small
it "a folder without a game shows the menu with a message" shows_message no_folder "has no game.lua"
stop_program

game=$tmp/wrong
mkdir -p "$game/systems"
echo 'return { title = "Wrong", start = function() log.info("it started") end }' >"$game/game.lua"
echo 'return { update = function(dt) this is no Lua end }' >"$game/systems/first.lua"
# shellcheck disable=SC2086
start run "$game" $small
shows_start_error() {
  wait_for 20 log_has systems/first.lua:1 || fail "no file and line: $(cat "$log")"
  wait_for 10 with_card wrong || fail "no error card: $(card_shown wrong) red pixels"
}
it "a game that cannot start shows its error and waits for a fix" shows_start_error
starts_after_fix() {
  mark_log
  echo 'return { every = 10, update = function() log.info("it runs") end }' | save systems/first.lua
  wait_for 10 log_has "it started" || fail "the game does not start: $(log_since_mark)"
  wait_for 10 log_has "it runs" || fail "the game does not run: $(log_since_mark)"
  wait_for 10 without_card mended || fail "the card is still shown: $(card_shown mended) red pixels"
}
it "fixing the error starts the game" starts_after_fix
stop_program
it "a game started after a fix exits with status 0" expect_exit 0

# A damaged package lacks fonts, too, so the message is shown in a separate dialog until the player confirms it.
mkdir -p "$tmp/damaged"
cp "$release" "$tmp/damaged/rocks"
printf 'no archive' >"$tmp/damaged/rocks.data"
launch "$tmp/damaged/rocks"
shows_damage() {
  has_window "This game cannot start"
  has_message() { picture told && [ "$(colours told)" -gt 3 ]; }
  wait_for 10 has_message || fail "no text in the window: $(colours told) colours"
  ! program_has_exited || fail "the program exited before the message was confirmed"
  log_has "file of this game is damaged" || fail "$(cat "$log")"
}
it "a damaged package shows a message in a window" shows_damage
focus
it "the Escape key closes the message of a damaged package" closes_on_escape
stop_program
it "a damaged package exits with status 2" expect_exit 2
