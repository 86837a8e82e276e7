# A tool that embeds the host, linked as engine/docs/embedding.md says: two games in a window of the tool's own.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"

packages=$(sed -n 's/^local PACKAGES = {\(.*\)}.*/\1/p' "$root/premake5.lua" | tr -d '",')
tool=$tmp/two_views

builds() {
  # shellcheck disable=SC2046,SC2086
  cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -I "$root/engine" -I "$root/engine/include" \
    "$root/engine/examples/two_views.c" -o "$tool" -rdynamic -Wl,--whole-archive "${release%/bin/shoal}/lib/libshoal.a" \
    -Wl,--no-whole-archive $(pkg-config --cflags --libs $packages) -lwslay -lm -ldl -lpthread || fail "it does not build"
}
it "a tool links libshoal.a and nothing else of Shoal" builds

marked=0
SHOAL_ROOT=$root "$tool" "$root/scripts/games/asteroids" "$root/scripts/examples/boids" --seed 3 --ticks 240 --hash \
  >"$log" 2>&1 </dev/null &
program=$!
shows_both() {
  has_window "Two views: "
  within 20 colourful left 600x340+20+194 || fail "the left half has $(colours left 600x340+20+194) colours"
  within 20 colourful right 600x340+660+194 || fail "the right half has $(colours right 600x340+660+194) colours"
}
it "two games show in one window" shows_both
keeps_its_edge() { # Tab moves the bright edge from one to the other
  focus
  xdotool key Tab
  within 10 edge_at 640 || fail "no edge around the second game"
}
edge_at() { picture edge && [ "$(convert "$tmp/edge.png" -format "%[fx:p{$(($1 + 300)),180}.b>0.8]" info:)" = 1 ]; }
it "what the tool draws around the games stays" keeps_its_edge
within 60 not_running || kill "$program"
status=0
wait "$program" || status=$?
program=
it "the tool ends when both games have ended" ended_with 0
same_hashes() {
  for game in games/asteroids examples/boids; do
    run_for 60 "$release" run "$root/scripts/$game" --headless --seed 3 --ticks 240 --hash
    said "$(cat "$tmp/out")" || fail "$game: $(cat "$tmp/out") alone, and embedded $(grep hash "$log")"
  done
}
it "a game whose frames a tool calls computes what it computes alone (Component based engine design)" same_hashes
