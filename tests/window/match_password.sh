# The password of a match on the page Play together: the page joins a host with a password only after the host's key
# was typed, too. The host has no window.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
rm -rf "$tmp/data" "$tmp/host_data"
echo "tea at five" >"$tmp/password"
XDG_DATA_HOME="$tmp/host_data" "$release" play pong --host --port 0 --players 2 --headless --password "$tmp/password" \
  --log info >"$tmp/host.log" 2>&1 </dev/null &
host=$!
trap 'kill "$host" 2>/dev/null; cleanup' EXIT
host_has() { grep -qF -- "$1" "$tmp/host.log"; }
wait_for 20 host_has "key: "
address=127.0.0.1:$(sed -n 's/^listening: .*://p' "$tmp/host.log")
key=$(sed -n 's/^key: //p' "$tmp/host.log")
mkdir -p "$tmp/data/shoal/saves/shoal_menu"
echo "{\"format\":1,\"settings\":{\"tile\":\"pong\",\"address\":\"$address\"}}" \
  >"$tmp/data/shoal/saves/shoal_menu/game.settings.json"
start play --no-watch --width 1280 --height 720

opens_page() {
  has_window Shoal
  focus
  expect_log "menu: pong"
  wait_for 20 press_t || fail "T does not open the page: $(tail -n 3 "$log")"
  picture empty
}
press_t() {
  xdotool key t
  wait_for 1 log_has "menu: together"
}
it_always "T opens the page Play together" opens_page

# write_at Y TEXT: writes the text into the entry at this height of the window.
write_at() {
  picture before
  xdotool mousemove --window "$window" 250 "$1" click 1
  wait_for 10 has_changed || fail "the click changes nothing"
  xdotool key ctrl+a
  xdotool type --delay 40 "$2"
}
has_changed() {
  picture after
  ! cmp -s "$tmp/before.png" "$tmp/after.png"
}
joins() { # joins Y: clicks the button Join at this height of the window
  xdotool mousemove --window "$window" 250 "$1" click 1
}
shows_page() {
  picture page
  [ "$(colours page 440x480+30+170)" -gt 300 ]
}
needs_key() {
  write_at 538 "tea at five"
  joins 419
  expect_log "menu: says The host needs a password. Compare its key with the one on the host's screen: $key"
  wait_for 20 shows_page || fail "the page is not shown"
}
it_always "the page Play together sends no password to a host with an unknown key, and shows the key" needs_key

sends_password() {
  write_at 538 "tea at five"
  write_at 585 "$key"
  picture typed
  joins 419
  wait_for 30 host_has "player 2 has joined" || fail "$(tail -n 3 "$log" "$tmp/host.log")"
}
it "with the key of the host, the page Play together sends the password and joins" sends_password
