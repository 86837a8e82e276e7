# A served world on the page Play together: the page passes the address, the room and the invitation code, and shows the
# world's answer.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
cd "$tmp" || exit 1
rm -rf data world_data duel
mkdir duel
echo 'return { id = "page_duel", multiplayer = { players = { 1, 4 } },
  serve = { accounts = "invite", rooms = { town = {} } } }' >duel/game.lua

port=$((30000 + $$ % 20000))
XDG_DATA_HOME="$tmp/world_data" "$release" serve duel --db "$tmp/duel.db" --port $port >"$tmp/world.log" 2>&1 </dev/null &
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
it_always "T opens the page Play together" opens_page

# has_focus: the entry for a code has the focus, which is shown by a bright line around it
has_focus() {
  picture entry
  [ "$(convert "$tmp/entry.png" -crop 1x3+868+548 -format '%[fx:int(255*maxima.b)]' info:)" -gt 200 ]
}
# submit_code CODE: types the code into its entry, and presses Return. The entry receives no keys before it has the
# focus, for which a busy machine needs a while.
submit_code() {
  xdotool mousemove --window "$window" 868 567 click 1
  wait_for 10 has_focus || fail "a click does not focus the entry for a code"
  xdotool type --delay 60 "$1"
  mark_log
  xdotool key Return
}
# The page opens again after the answer, with an empty entry for a code.
says_next() {
  wait_for 20 log_has "menu: says $1" || fail "$(log_since_mark)"
  wait_for 20 log_has "menu: together" || fail "$(log_since_mark)"
}

refuses_wrong_code() {
  submit_code "wrong-code"
  says_next "New players need an invitation code in this world."
}
it "the page shows that the world has refused a wrong invitation code" refuses_wrong_code

shows_answer() {
  "$release" world "$tmp/duel.db" invite >"$tmp/invitation" 2>&1 || fail "$(cat "$tmp/invitation")"
  code=$(grep -o '[a-z0-9]\{4\}-[a-z0-9]\{4\}-[a-z0-9-]*' "$tmp/invitation" | head -n 1)
  submit_code "$code"
  says_next "The world has no room named cellar."
}
it "with a valid invitation code, the page reports a room that the world does not have" shows_answer

joins_by_button() {
  xdotool mousemove --window "$window" 868 614 click 1 # the button “Join the world”
  expect_log "menu: joins the world 127.0.0.1:$port"
}
it "a click on the button “Join the world” joins the world" joins_by_button
