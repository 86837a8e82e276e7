# A tool that embeds the host, linked as described in engine/docs/embedding.md: two games in the tool's own window.
# needs: release release/library
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

tool=$tmp/two_views
at=$tmp/at

builds() {
  sh "$root/scripts/build/install.sh" --prefix "$at" >/dev/null || fail "the installation failed"
  # shellcheck disable=SC2046
  PKG_CONFIG_PATH=$at/lib/pkgconfig cc -std=c11 -Wall -Wextra -Werror -O1 "$root/engine/examples/two_views.c" -o "$tool" \
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
keeps_its_edge() { # Tab moves the bright border to the other game
  focus
  xdotool key Tab
  wait_for 10 edge_at 640 || fail "no border around the second game"
}
edge_at() { picture edge && [ "$(convert "$tmp/edge.png" -format "%[fx:p{$(($1 + 300)),180}.b>0.8]" info:)" = 1 ]; }
it "embedded games do not draw over the tool's own graphics around them" keeps_its_edge
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
