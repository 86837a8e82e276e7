# The host's control over the players in two windows: the host mutes and removes a player with keys in the match menu.
# The player's window shows the reason in the player's language. New join requests of this player are refused.
# needs: release
screen_width=1280 screen_height=800
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
game=$tmp/race
rm -rf "$game" "$tmp/data" "$tmp/peer_data"
mkdir -p "$game/systems" "$game/strings" "$tmp/data/shoal/saves/moderated_race" \
  "$tmp/peer_data/shoal/saves/moderated_race"
cat >"$game/game.lua" <<'END'
return { title = 'Race', id = 'moderated_race', multiplayer = { players = { 2, 4 } },
  start = function() world.spawn(nil, { transform = {}, camera = { background = { 0, 0.3, 0, 1 } } }) end }
END
echo 'return { fire = { "key:f" } }' >"$game/input.lua"
for language in en de; do echo "return { hello = '$language' }" >"$game/strings/$language.lua"; done
write_language() { # write_language FOLDER LANGUAGE
  echo "{\"format\":1,\"settings\":{\"language\":\"$2\"}}" >"$tmp/$1/shoal/saves/moderated_race/game.settings.json"
}
write_language data en
write_language peer_data de

. "$root/tests/two_windows.sh"

start run "$game" --host --port 0 --players 2 --name Ada --no-watch --width 640 --height 360 --hash every=30
wait_for 20 host_has "key: "
address=127.0.0.1:$(sed -n 's/^listening: .*://p' "$log")
start_peer run "$game" --join "$address" --name Bob --no-watch --width 640 --height 360 --hash every=30

begins() {
  wait_for 20 has_window_of "$program" || fail "no window of the host"
  xdotool windowmove "$(find_window "$program")" 0 0
  wait_for 30 host_has "Bob wants to join" || fail "$(show_logs)"
  wait_for 30 colourful question 460x60+90+10 100 || fail "no question"
  select_window "$program"
  press_until 20 F7 peer_has "tick 30 hash"
  xdotool windowmove "$(find_window "$peer")" 640 0
}
it_always "the host's player accepts a machine with F7" begins

# step KEY PICTURE: presses a key of the menu, and takes a picture of the host's window once it has changed.
step() {
  picture before
  xdotool key "$1"
  wait_for 10 has_changed "$2" || fail "the key $1 changes nothing: $(show_logs)"
}
has_changed() {
  picture "$1"
  [ "$(crop before)" != "$(crop "$1")" ]
}
crop() { convert "$tmp/$1.png" -crop 400x340+120+10 +repage -format '%#' info:; }

open_player() { # opens the page with the actions for the second player
  select_window "$program"
  step Escape menu
  step Down menu
  step Down menu
  step Return players
  step Return player
}

says() { # says LINE: the player who joined writes a line, which returns from the host
  select_window "$peer"
  xdotool key t
  xdotool type --delay 60 "$1"
  xdotool key Return
  wait_for 20 peer_has "chat: Bob: $1" || fail "no line: $(show_logs)"
}
mutes() {
  says hello
  host_has "chat: Bob: hello" || fail "the host's window lacks the line: $(show_logs)"
  open_player
  step Return players # mutes the chat
  says again
  ! host_has "chat: Bob: again" || fail "the host's window shows the line of a muted player: $(show_logs)"
  select_window "$program"
  step Return player
  step Return players # shows the chat again
  step Escape menu
  step Escape game
  says third
  host_has "chat: Bob: third" || fail "the host's window still hides the lines: $(show_logs)"
}
it_always "the host's window hides the lines of a muted player until the player is unmuted" mutes

removes() {
  open_player
  step Down player
  xdotool key Return
  wait_for 20 host_has "match: removed player 2 (Bob)" || fail "$(show_logs)"
  wait_for 20 peer_has "the host: a user has removed the player" || fail "$(show_logs)"
}
it_always "keys in the match menu remove a player" removes

shows_reason() {
  picture removed
  [ "$(colours removed 400x120+760+100)" -gt 50 ]
}
it "the window of the removed player shows the reason" wait_for 20 shows_reason

is_refused_again() {
  kill "$peer" && wait "$peer" || :
  start_peer run "$game" --join "$address" --name Bob --no-watch --width 640 --height 360
  wait_for 20 peer_has "The host has removed you from this match." || fail "$(show_logs)"
  [ "$(grep -c 'Bob wants to join' "$log")" = 1 ] || fail "the host is asked again: $(show_logs)"
}
it "a removed player who tries to join again is refused without asking the host" is_refused_again

# Each request is a new process, without a window, whose user the host's player refuses with F8.
asks() {
  asked=$(grep -c 'Eve wants to join' "$log")
  XDG_DATA_HOME="$tmp/eve_data" "$release" run "$game" --join "$address" --name Eve --headless --no-watch \
    --log info >"$tmp/eve.log" 2>&1 </dev/null &
  eve=$!
  wait_for 30 asked_or_exited || fail "no answer: $(cat "$tmp/eve.log")"
}
asked_or_exited() { has_exited $eve || [ "$(grep -c 'Eve wants to join' "$log")" -gt "$asked" ]; }
eve_has() { grep -qF -- "$1" "$tmp/eve.log"; }
asks_eleven_times() {
  select_window "$program"
  for number in 1 2 3 4 5 6 7 8 9 10; do
    asks
    press_until 20 F8 eve_has "The host does not let you join."
    wait $eve || :
  done
  asks
  wait $eve || :
  eve_has "Too many attempts: try again in" || fail "$(cat "$tmp/eve.log")"
  [ "$(grep -c 'Eve wants to join' "$log")" = 10 ] || fail "the host is asked again: $(show_logs)"
}
it "an eleventh join request of the same user is rejected without asking the host" asks_eleven_times
