# The pointer of window.pointer, and movements of the mouse. Screenshots do not contain the pointer: pointer.lua reads
# it from the X server.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

game=$tmp/aim
mkdir -p "$game/systems" "$game/assets"
echo 'return { title = "Aim", width = 320, height = 180, window = { width = 640, height = 360 } }' >"$game/game.lua"
cat >"$game/input.lua" <<'END'
return { plain = "key:n", hidden = "key:h", confined = "key:c", relative = "key:r", cross = "key:i", missing = "key:m",
  pause = "key:p", options = "key:o" }
END
echo 'return { aim = shoal.types.single { mode = "plain", x = 0, y = 0 } }' >"$game/components.lua"
cat >"$game/systems/aim.lua" <<'END'
return { phase = "input", update = function()
  local aim, mouse = world.single.aim, input.mouse
  for _, mode in ipairs { "plain", "hidden", "confined", "relative", "cross", "missing" } do
    if input.pressed(mode) then aim.mode = mode end
  end
  if input.pressed("pause") then world.pause(not world.is_paused()) end
  if input.pressed("options") then world.options() end
  aim.x, aim.y = aim.x + mouse.dx, aim.y + mouse.dy
  local x, y = input.mouse()
  log.info("%s moved %d %d at %d %d", aim.mode, aim.x, aim.y, x, y)
end }
END
cat >"$game/systems/pointer.lua" <<'END'
local POINTERS = { plain = {}, hidden = { shown = false }, confined = { confined = true },
  relative = { relative = true }, cross = { image = "cross.png" }, missing = { image = "crosss.png" } }
return { phase = "render", update = function() window.pointer(POINTERS[world.single.aim.mode]) end }
END
make_cross() { # make_cross COLOUR: draws a cross of 8 × 8 pixels
  convert -size 8x8 xc:none -fill "$1" -draw 'rectangle 3,0 4,7 rectangle 0,3 7,4' "$game/assets/cross~.png"
  mv "$game/assets/cross~.png" "$game/assets/cross.png"
}
make_cross '#ff2010'

get_pointer() { luajit "$root/tests/window/pointer.lua"; }
has_pointer() { get_pointer | cut -f 3- | tr '\t' ' ' | grep -qxF -- "$1"; } # "WIDTH HEIGHT HOT_X HOT_Y PIXELS COLOUR"
is_hidden() { [ "$(get_pointer | cut -f 7)" = 0 ]; }
is_normal() { has_pointer "$normal"; }
is_cross() { has_pointer "16 16 9 9 112 #ff2010"; } # enlarged twice, like the game's image
expect() { wait_for 20 "$@" || fail "the pointer is not as expected ($*): $(get_pointer); $(tail -n 2 "$log")"; }
# mode KEY NAME: presses the key until the game uses this pointer
mode() {
  mark_log
  xdotool key "$1"
  expect_log "$2 moved"
}
move_to() { xdotool mousemove --window "$window" "$1" "$2"; } # x, y: position in the window, whose image is enlarged twice
last_line() { tail -n 1 "$log"; }
says_line() { last_line | grep -q "$1"; }
expect_line() { wait_for 20 says_line "$1" || fail "expected “$1”: $(last_line)"; }

start run "$game"
opens() {
  has_window Aim
  focus
  move_to 300 160
  expect_line "at 150 80"
}
it "a game opens with the normal pointer" opens
window=$(head -n 1 "$tmp/window_id")
normal=$(get_pointer | cut -f 3- | tr '\t' ' ')

hides() {
  mode h hidden
  expect is_hidden
  mode n plain
  expect is_normal
}
it "window.pointer hides and shows the pointer" hides

has_image() {
  mode i cross
  expect is_cross
  make_cross '#10ff20'
  expect has_pointer "16 16 9 9 112 #10ff20"
  make_cross '#ff2010'
  expect is_cross
}
it "window.pointer shows an image, which is enlarged like the game's image and reloaded after a change" has_image

has_hot_spot() {
  echo '{ "pivot": [0, 0] }' >"$game/assets/cross.json"
  expect has_pointer "16 16 1 1 112 #ff2010"
  rm "$game/assets/cross.json"
  expect is_cross
}
it "the pivot in the image's sheet marks the pointer's position" has_hot_spot

reports_missing() {
  mode m missing
  expect_log "systems/pointer.lua:3: window.pointer: crosss.png" "did you mean cross.png?"
  expect is_normal
  mode i cross
  expect is_cross
}
it "a missing pointer image is reported with its line and the nearest name" reports_missing

gives_way() { # gives_way KEY: KEY must show the normal pointer, and pressed again, the game's pointer
  xdotool key "$1"
  expect is_normal
  xdotool key "$1"
  expect is_cross
}
it "the overlay has the normal pointer" gives_way F1
it "a session paused by F6 has the normal pointer" gives_way F6
it "a game paused by its scripts has the normal pointer" gives_way p

has_options() {
  xdotool key o
  expect is_normal
  xdotool key Escape
  expect is_cross
}
it "the options screen has the normal pointer" has_options

has_card() {
  echo 'return { update = function() error("stop here") end }' | save systems/broken.lua
  expect is_normal
  rm "$game/systems/broken.lua"
  expect is_cross
}
it "an error card has the normal pointer" has_card

loses_focus() {
  mode h hidden
  expect is_hidden
  xdotool windowfocus 1 # no window in particular
  expect is_normal
  focus
  expect is_hidden
  mode n plain
}
it "a window without the focus has the normal pointer" loses_focus

stays_inside() {
  mode c confined
  xdotool mousemove 1270 710
  expect_line "at 319 179"
  [ "$(xdotool getmouselocation | cut -d ' ' -f 1,2)" = "x:959 y:539" ] || fail "$(xdotool getmouselocation)"
  mode n plain
  wait_for 20 leaves || fail "the pointer cannot leave the window: $(xdotool getmouselocation)"
  move_to 300 160
}
leaves() { xdotool mousemove 1270 710 && xdotool getmouselocation | grep -q "x:1270 y:710"; }
it "a confined pointer cannot leave the window" stays_inside

get_x() { last_line | sed 's/.*moved \(-\{0,1\}[0-9]*\) .*/\1/'; }
has_x() { [ "$(get_x)" = "$1" ]; }
moves_on() {
  expect_line "at 150 80"
  mode r relative
  expect is_hidden
  begin=$(get_x)
  for _ in 1 2 3 4 5; do xdotool mousemove_relative 400 0; done # farther than the screen is wide
  wait_for 20 has_x $((begin + 1000)) || fail "moved from $begin to $(get_x) instead of by 1000"
  last_line | grep -q "at 150 80" || fail "the pointer has moved: $(last_line)"
  mode n plain
  expect is_normal
  expect_line "moved $((begin + 1000)) [-0-9]* at 150 80"
}
it "a relative pointer stays in place, and mouse.dx counts movements without a limit" moves_on

replays_the_same() {
  stop_program
  start run "$game" --record "$tmp/aimed"
  opens
  mode r relative
  expect is_hidden
  xdotool mousemove_relative 90 40
  wait_for 20 has_x 45 || fail "no movement: $(last_line)"
  mark_log
  expect_log "relative moved 45 20" # logged at least one tick later
  stop_program
  expect_exit 0
  rm -f "$tmp/err"
  run_for 60 "$release" run "$game" --headless --replay "$tmp/aimed" --log info
  exits 0
  cat "$tmp/out" "$tmp/err" | grep -qF "relative moved 45 20" ||
    fail "the replay has no movement: $(tail -n 3 "$tmp/err")"
}
it "movements of the mouse are recorded and replayed" replays_the_same
