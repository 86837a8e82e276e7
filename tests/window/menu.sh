# The menu of games, the screens for what is not there, and a game that is wrong from the start.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

menu_is_shown() {
  has_window Shoal
  wait_for 10 colourful menu || fail "only $(colours menu) colours on the screen"
}
# message_shown PICTURE: as many pixels as are in the colour of the menu's message
message_shown() {
  convert "$tmp/$1.png" -crop 1280x360+0+60 +repage -fuzz 10% -fill black +opaque '#ffb859' -fuzz 0 -fill white \
    +opaque black -format '%[fx:int(mean*w*h)]' info:
}
with_message() { picture "$1" && [ "$(message_shown "$1")" -gt 25 ]; }

small="--width 640 --height 360" # without a graphics card a large picture takes most of the processor
# shellcheck disable=SC2086
start play $small
it "play without a game shows the menu" menu_is_shown
focus
opens_a_game() {
  mark_log
  xdotool key Return
  wait_for 20 log_has "Asteroids: seed" || fail "Asteroids does not start: $(tail -n 3 "$log")"
  has_window Asteroids
  wait_for 10 colourful game || fail "only $(colours game) colours on the screen"
}
it "Return opens the game that is chosen" opens_a_game
stop_program
it "an interrupt ends the game that the menu opened" expect_exit 0

# As a file manager starts it: without words, from another folder, with nothing in the environment that says where.
moved=$tmp/moved
place=${release#"$root"}
mkdir -p "$moved${place%/*}"
cp -r "$root/scripts" "$root/assets" "$moved"
cp "$release" "$moved$place"
cp -r "${release%/bin/*}/plugins" "$moved${place%/bin/*}"
from_a_file_manager() { cd / && exec env -u SHOAL_ROOT "$moved$place"; }
launch from_a_file_manager
it "the program alone shows the menu, moved with its folder and started from elsewhere" menu_is_shown
focus
it "and opens a game from there" opens_a_game
stop_program
it "which an interrupt ends" expect_exit 0

stays_friendly() { # stays_friendly PICTURE
  menu_is_shown
  wait_for 10 with_message "$1" || fail "no message on the screen: $(message_shown "$1") pixels of it"
  ! program_has_exited || fail "it has ended"
}
leaves() {
  xdotool key Escape
  wait_for 10 program_has_exited || fail "still running after Escape"
}

# shellcheck disable=SC2086
start play nosuchgame $small
it "a game that does not exist is a menu with a message" stays_friendly no_game
focus
it "Escape leaves the menu" leaves
stop_program

mkdir -p empty_folder
# shellcheck disable=SC2086
start run empty_folder $small
it "a folder without a game is a menu with a message" stays_friendly no_folder
stop_program

game=$tmp/wrong
mkdir -p "$game/systems"
echo 'return { title = "Wrong", start = function() log.info("it started") end }' >"$game/game.lua"
echo 'return { update = function(dt) this is no Lua end }' >"$game/systems/first.lua"
# shellcheck disable=SC2086
start run "$game" $small
shows_why() {
  wait_for 20 log_has systems/first.lua:1 || fail "no file and line: $(cat "$log")"
  wait_for 10 with_card wrong || fail "no card: $(card_shown wrong) red pixels"
}
it "a game that is wrong from the start shows why and waits" shows_why
starts_late() {
  mark_log
  echo 'return { every = 10, update = function() log.info("it runs") end }' | save systems/first.lua
  wait_for 10 log_has "it started" || fail "it does not start: $(log_since_mark)"
  wait_for 10 log_has "it runs" || fail "it does not run: $(log_since_mark)"
  wait_for 10 without_card mended || fail "the card stays: $(card_shown mended) red pixels"
}
it "the fix starts it" starts_late
stop_program
it "and it ends with status 0" expect_exit 0

# A package whose file is damaged has no fonts either: the sentence is in a window of its own, until it is answered.
mkdir -p "$tmp/damaged"
cp "$release" "$tmp/damaged/rocks"
printf 'no archive' >"$tmp/damaged/rocks.data"
launch "$tmp/damaged/rocks"
tells_the_player() {
  has_window "This game cannot start"
  told() { picture told && [ "$(colours told)" -gt 3 ]; }
  wait_for 10 told || fail "nothing is written: $(colours told) colours"
  ! program_has_exited || fail "it has ended before that was answered"
  log_has "file of this game is damaged" || fail "$(cat "$log")"
}
it "a damaged package says so in a window" tells_the_player
focus
it "which Escape closes" leaves
stop_program
it "and the program ends with 2" expect_exit 2
