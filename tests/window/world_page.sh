# A served world on the page Play together: the page passes the address and the room, and shows the world's answer.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
cd "$tmp" || exit 1
rm -rf data world_data duel
mkdir duel
echo 'return { id = "page_duel", multiplayer = { players = { 1, 4 } }, serve = { rooms = { town = {} } } }' >duel/game.lua

port=$((30000 + $$ % 20000))
XDG_DATA_HOME="$tmp/world_data" "$release" serve duel --port $port >"$tmp/world.log" 2>&1 </dev/null &
world=$!
trap 'kill "$world" 2>/dev/null; cleanup' EXIT
world_listens() { grep -qF "listening: " "$tmp/world.log"; }
wait_for 20 world_listens
mkdir -p "$tmp/data/shoal/saves/shoal_menu"
echo "{\"format\":1,\"settings\":{\"tile\":\"pong\",\"world\":\"127.0.0.1:$port\",\"room\":\"cellar\"}}" \
  >"$tmp/data/shoal/saves/shoal_menu/game.settings.json"
start play --no-watch --width 1280 --height 720

opens_page() {
  has_window Shoal
  focus
  expect_log "menu: pong"
  wait_for 20 press_t || fail "T does not open the page: $(tail -n 3 "$log")"
}
press_t() {
  xdotool key t
  wait_for 1 log_has "menu: together"
}
it_always "T opens the page" opens_page

shows_answer() {
  xdotool mousemove --window "$window" 868 614 click 1 # the button “Join the world”
  expect_log "menu: joins the world 127.0.0.1:$port"
  expect_log "menu: says The world has no room named cellar."
}
it "a room that the world does not have is named on the page" shows_answer
