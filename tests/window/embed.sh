# A tool that embeds the host, linked as described in engine/docs/embedding.md: two games in the tool's own window.
# needs: release release/library
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

tool=$tmp/two_views
at=$tmp/at

builds() {
  sh "$root/scripts/build/install.sh" --prefix "$at" >/dev/null || fail "the installation failed"
  build "$root/engine/examples/two_views.c" "$tool"
}
build() { # build SOURCE PROGRAM
  # shellcheck disable=SC2046
  PKG_CONFIG_PATH=$at/lib/pkgconfig cc -std=c11 -Wall -Wextra -Werror -O1 "$1" -o "$2" \
    $(PKG_CONFIG_PATH=$at/lib/pkgconfig pkg-config --cflags --libs shoal sdl2 epoxy) || fail "the tool does not build"
}
it "a tool builds against the installed libshoal" builds
export LD_LIBRARY_PATH="$at/lib"

marked=0
"$tool" "$root/scripts/games/asteroids" "$root/scripts/examples/boids" --seed 3 --ticks 240 --hash \
  >"$log" 2>&1 </dev/null &
program=$!
shows_both() {
  has_window "Two views: "
  wait_for 20 colourful left 600x340+20+194 || fail "the left half has $(colours left 600x340+20+194) colours"
  wait_for 20 colourful right 600x340+660+194 || fail "the right half has $(colours right 600x340+660+194) colours"
}
it "a tool can show two games in one window" shows_both
keeps_its_edge() { # Tab moves the bright border to the second game
  focus
  xdotool key Tab
  wait_for 10 edge_at 640 || fail "no border around the second game"
}
edge_at() { picture edge && [ "$(convert "$tmp/edge.png" -format "%[fx:p{$(($1 + 300)),180}.b>0.8]" info:)" = 1 ]; }
it "embedded games do not draw over the tool's own graphics around the games" keeps_its_edge
wait_for 60 program_has_exited || kill "$program"
status=0
wait "$program" || status=$?
program=
it "the tool exits with status 0 after both games have ended" expect_exit 0
same_hashes() {
  for game in games/asteroids examples/boids; do
    run_for 60 "$release" run "$root/scripts/$game" --headless --seed 3 --ticks 240 --hash
    log_has "$(cat "$tmp/out")" || fail "$game: $(cat "$tmp/out") alone, and embedded $(grep hash "$log")"
  done
}
it "an embedded game gives the same hashes as the game on its own" same_hashes

# A game of half the size of the window that logs the sum of all movements, and the position.
mkdir -p "$tmp/aim/systems"
echo 'return { title = "Aim", width = 320, height = 180 }' >"$tmp/aim/game.lua"
echo 'return { aim = shoal.types.single { x = 0, y = 0 } }' >"$tmp/aim/components.lua"
cat >"$tmp/aim/systems/aim.lua" <<'END'
return { update = function()
  local aim, mouse, x, y = world.single.aim, input.mouse, input.mouse()
  aim.x, aim.y = aim.x + mouse.dx, aim.y + mouse.dy
  log.info("moved %g %g at %g %g", aim.x, aim.y, x, y)
end }
END
last_line() { grep 'moved .* at .* .*' "$log" | tail -n 1; }
says_line() { last_line | grep -q "$1\$"; }
expect_line() { wait_for 20 says_line "$1" || fail "expected “$1”: $(last_line)"; }
read_x() { x=$(last_line | sed 's/.*moved \([-0-9.]*\) .*/\1/'); }
sum() { awk "BEGIN { print $x + $1 }"; } # sum MOVEMENT: the expected sum after a movement
move_to() { xdotool mousemove --window "$window" "$1" "$2"; }
make_relative() { # make_relative KEY 0|1
  mark_log
  xdotool key "$1"
  expect_log "relative: $2"
}

builds_relative_tool() { build "$root/tests/window/relative_tool.c" "$tmp/relative_tool"; }
it "a tool that makes the mouse relative builds" builds_relative_tool
"$tmp/relative_tool" "$tmp/aim" >"$log" 2>&1 </dev/null &
program=$!
window_named "Relative tool" || wait_for 20 window_named "Relative tool"
focus
receives_movements() {
  move_to 100 100
  expect_line " at 50 50"
  read_x
  move_to 300 103
  expect_line "moved $(sum 100) [-0-9.]* at 150 51.5"
}
it "an embedded game receives the movements of the mouse" receives_movements
is_relative() {
  read_x
  make_relative r 1
  for _ in 1 2 3 4 5; do xdotool mousemove_relative 400 0; done # farther than the screen is wide
  expect_line "moved $(sum 1000) [-0-9.]* at 150 51.5"
  make_relative n 0
  mark_log
  expect_log "moved $(sum 1000) " # the pointer appears at a different position, which is not a movement
  move_to 200 100
  expect_line " at 100 50"
  read_x
  move_to 220 100
  expect_line "moved $(sum 10) [-0-9.]* at 110 50"
}
it "while the tool has made the mouse relative, an embedded game receives movements without a limit" is_relative
