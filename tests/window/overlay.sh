# The overlay in the game's window: while it is open, it receives the mouse, its own keys and the text typed into it; all
# other input goes to the game. Both are recorded. Each test depends on the tests before it.
# needs: release
. "$(dirname "$0")/../lib.sh"
screen_height=764 # height of the game and of the time bar below it
. "$root/tests/display.sh"
mkdir -p yard/systems yard/plugins
cat >solver.c <<'END2'
#include <shoal/profile.h>
static void step(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_profile_begin(c, "pairs");
  shoal_profile_begin(c, "near");
  shoal_profile_end(c);
  shoal_profile_end(c);
  (void)v, (void)dt_s;
}
SHOAL_PLUGIN(.name = "solver", .version = 1, .systems = SHOAL_SYSTEMS({.name = "step", .run = step}))
END2
${CC:-cc} -std=c11 -O1 -ffp-contract=off -fPIC -shared -I"$root/engine/include" -o yard/plugins/solver.so solver.c
cat >yard/game.lua <<'END2'
return { title = "Yard", plugins = { "solver" }, start = function()
  world.spawn("crate", { transform = { x = 640, y = 360 } })
  world.spawn("lid", { transform = { x = 640, y = 360 } })
end }
END2
cat >yard/components.lua <<'END2'
local t = shoal.types
return { heard = t.single { keys = 0, clicks = 0 }, knob = t.single { turn = 0 } }
END2
cat >yard/cockpit.lua <<'END2'
shoal.cockpit { title = "Yard", draw = function(panel)
  panel:value("crates", world.count("crate"))
  panel:slider("turn", "knob.turn", { 0, 10 })
  panel:button("One more", function() world.spawn("crate", { transform = { x = 1100, y = 600 } }) end)
end }
shoal.cockpit { command = "Stack a lid", help = "on the crate", run = function() world.spawn("lid") end }
END2
echo 'return { k = { "key:k" }, click = { "mouse:left" } }' >yard/input.lua
cat >yard/assemblages.lua <<'END2'
local function box(size, layer, colour)
  return { components = { transform = {},
    shape = { kind = "rect", width = size, height = size, layer = layer, colour = colour } } }
end
return { crate = box(120, 0, { 0.3, 0.5, 0.9, 1 }), lid = box(60, 1, { 0.9, 0.5, 0.3, 1 }) }
END2
cat >yard/systems/hear.lua <<'END2'
return { phase = "input", update = function()
  local heard = world.single.heard
  if input.pressed("k") then heard.keys = heard.keys + 1 end
  if input.pressed("click") then heard.clicks = heard.clicks + 1 end
end }
END2

query() { "$release" ask "$port" "$@" 2>&1 | tail -n 1; }
is() { [ "$(query "$1" | tr -d ' ')" = "$2" ]; } # SQL VALUE
becomes() { wait_for 20 is "$1" "$2" || fail "$1: $(query "$1") instead of $2; $(tail -n 3 "$log")"; }
x_of() { echo "SELECT round(x) + 0 FROM transform WHERE entity = (SELECT entity FROM entities WHERE assemblage = '$1' LIMIT 1)"; }
has_bar() { # succeeds if the overlay's bar is below the game's image, whose lower edge is plain
  picture bar && [ "$(colours bar 1000x30+40+728)" -gt 40 ] && [ "$(colours bar 1000x30+40+684)" -lt 5 ]
}
no_bar() { picture bar && [ "$(colours bar 1000x60+40+684)" -lt 5 ]; }
# marked CROP COUNT: succeeds if more than COUNT pixels of this part of the screen have the focus colour.
marked() {
  picture marked
  [ "$(convert "$tmp/marked.png" -crop "$1" +repage -fuzz 8% -fill black +opaque '#ffbd54' -fill white +opaque black \
    -format '%[fx:int(mean*w*h)]' info:)" -gt "$2" ]
}
# Presses the key again on each try: a busy X server may lose a key, and a repeated press has no effect.
open_console() { key ctrl+l && marked 660x44+310+672 10; }
type_line() { xdotool type --delay 30 "$1" && key Return; } # LINE
# Waits until the game has processed the input: requests are answered once per frame, and the first answer may come
# from the frame that had already polled its events.
wait_for_input() { query "SELECT 1" >/dev/null && query "SELECT 1" >/dev/null; }
# key CHORD…: holds each chord until the game has seen it, because a press and release within one frame can be lost.
key() {
  for chord; do
    parts=$(echo "$chord" | tr + ' ')
    # shellcheck disable=SC2086
    { xdotool keydown $parts && wait_for_input && xdotool keyup $parts && wait_for_input; }
  done
}
at() { xdotool mousemove "$1" "$2" && wait_for_input; } # X Y
down() { xdotool mousedown 1 && wait_for_input; }
up() { xdotool mouseup 1 && wait_for_input; }
click() { at "$1" "$2" && down && up; }

launch_cockpit "$release" run yard --width 1280 --height $screen_height --seed 1 --no-watch --history 16 --record yard.replay --hash --log info

closed() {
  has_window Yard
  wait_for 20 is "SELECT count(*) FROM transform" 2 || fail "no cockpit: $(tail -n 3 "$log")"
  wait_for 10 no_bar || fail "the overlay's bar is shown"
}
it "a closed overlay draws nothing" closed
focus
games_keys() {
  key k
  becomes "SELECT keys FROM heard" 1
  key ctrl+k # pressed in a separate frame, because a key counts once per tick
  becomes "SELECT keys FROM heard" 2
  click 640 360
  becomes "SELECT clicks FROM heard" 1
}
it "a closed overlay passes keys and clicks to the game" games_keys

opens() {
  key F1
  wait_for 10 has_bar || fail "no bar: $(colours bar 1000x30+40+728) colours"
  key k
  becomes "SELECT keys FROM heard" 3
}
it "F1 opens the overlay, and the game still receives its keys" opens

picks() {
  click 640 360
  wait_for 10 open_console || fail "the console did not open"
  type_line "e.transform.y = 300" # applies to the lid, which is on top
  becomes "SELECT round(y) + 0 FROM transform ORDER BY y LIMIT 1" 300
  [ "$(query "SELECT clicks FROM heard" | tr -d ' ')" = 1 ] || fail "the game received the click"
  key Escape
}
it "a click selects the topmost entity as the variable e and is not passed to the game" picks

holds() {
  key F6
  at 640 400
  down
  at 660 420
  at 740 440
  up
  becomes "$(x_of crate)" 740
  key ctrl+z
  wait_for 5 is "$(x_of crate)" 640 || key ctrl+z # rarely lost on a busy screen
  becomes "$(x_of crate)" 640
}
it "an entity can be dragged while the game is held, and a single undo reverts the move" holds

ghosts() {
  key g
  luajit "$root/tests/scenarios/lib/cockpit.lua" ghosts "$port" 1 || fail "no ghost"
  key g
  luajit "$root/tests/scenarios/lib/cockpit.lua" ghosts "$port" 0 || fail "the ghost is still shown"
}
it "the G key toggles the ghost of the selected entity" ghosts

palette() {
  key ctrl+k
  wait_for 10 marked 60x40+362+94 10 || fail "no palette"
  type_line "spawn crate"
  becomes "SELECT count(*) FROM entities WHERE assemblage = 'crate'" 2
  key ctrl+k
  wait_for 1 marked 60x40+362+94 10 || key ctrl+k # the key may have arrived while the first palette was closing
  wait_for 10 marked 60x40+362+94 10 || fail "no palette the second time"
  key Escape # closes the palette, so that the next test reaches what is under it
}
it "the command palette runs a command and can be opened again" palette

game_panel() { # rows of the panel: a value, a slider and a button
  at 135 149
  down
  at 192 149
  at 235 149
  up
  becomes "SELECT round(turn) + 0 FROM knob" 9
  key ctrl+z
  becomes "SELECT round(turn) + 0 FROM knob" 0
  click 168 173
  becomes "SELECT count(*) FROM entities WHERE assemblage = 'crate'" 3
  key ctrl+k
  wait_for 10 marked 60x40+362+94 10 || fail "no palette"
  type_line "stack lid"
  becomes "SELECT count(*) FROM entities WHERE assemblage = 'lid'" 2
}
it "panels and commands of the game can be used, and a slider's change can be undone" game_panel

count_text_pixels() { # CROP: prints the number of pixels with text
  picture lit
  convert "$tmp/lit.png" -crop "$1" +repage -colorspace gray -threshold 40% -format '%[fx:int(mean*w*h)]' info:
}
scopes() { # the panel below the game's own panel has a title and two lines with a time
  wait_for 10 has_scopes || fail "no lines: $(count_text_pixels 300x25+22+229) $(count_text_pixels 300x25+22+251) $(count_text_pixels 300x25+22+273)"
  click 112 212
  wait_for 10 folded || fail "the lines are still shown"
}
has_scopes() { [ "$(count_text_pixels 130x20+22+229)" -gt 20 ] && [ "$(count_text_pixels 90x20+242+251)" -gt 20 ] && [ "$(count_text_pixels 90x20+242+273)" -gt 20 ]; }
folded() { [ "$(count_text_pixels 300x64+22+229)" -lt 5 ]; }
it "a panel shows the profiling scopes of a plugin" scopes

# The title of the game's panel is in the left upper part of the plain background.
has_panels() { [ "$(count_text_pixels 200x30+30+84)" -gt 20 ]; }
no_panels() { [ "$(count_text_pixels 200x30+30+84)" -lt 5 ]; }
focus_mode() {
  wait_for 20 has_panels || fail "no panel"
  key ctrl+h
  wait_for 20 no_panels || fail "the panel is still shown"
  has_bar || fail "the timeline is hidden"
  key ctrl+h
  wait_for 20 has_panels || fail "the panel is hidden"
}

it "Ctrl+H hides all panels except the timeline" focus_mode

# The console's panel covers the plain background above the bar.
has_console() { picture console && [ "$(colours console 600x30+330+678)" -gt 20 ]; }
no_console() { picture console && [ "$(colours console 600x30+330+678)" -lt 5 ]; }
console_button() {
  wait_for 20 no_console || fail "the console is shown"
  click 1092 742
  wait_for 10 has_console || fail "no console"
  key Escape
  wait_for 20 no_console || fail "the console is still shown"
}
it "a button opens the console, which is otherwise hidden" console_button

edited_past() {
  tick=$(query "return world.tick")
  key Left Left Left
  wait_for 20 is "return world.tick" "$((tick - 3))" || fail "tick $(query "return world.tick") after $tick"
  at 640 310
  down
  at 660 330
  at 700 330
  up
  becomes "$(x_of lid)" 700
  key space
  is_ticking() { [ "$(query "return world.tick")" -gt "$tick" ]; }
  wait_for 20 is_ticking || fail "the game does not tick"
}
it "in the overlay, the game can be rewound, edited and continued" edited_past

replays_recording() {
  key F1
  wait_for 10 no_bar || fail "the bar is still shown"
  query "world.quit()" >nowhere
  wait_for 20 program_has_exited || fail "the program does not exit"
  run_for 20 "$release" run yard --headless --no-watch --replay yard.replay --hash
  exits 0
  [ "$(grep '^tick' "$log")" = "$(grep '^tick' out)" ] || fail "played again: $(grep '^tick' out); it was $(grep '^tick' "$log")"
}
it "a recording with overlay input replays to the same hashes" replays_recording
stop_program
