# Matches from the menu in two windows: a page hosts a match, finds it in the local network and joins it; errors, and the
# end of a match, lead back to the page.
# needs: release
screen_width=1280 screen_height=800
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
. "$root/tests/two_windows.sh"
rm -rf "$tmp/data" "$tmp/peer_data"
write_settings() { # write_settings FOLDER ADDRESS: the menu opens with the tile of Rally selected
  mkdir -p "$tmp/$1/shoal/saves/shoal_menu"
  echo "{\"format\":1,\"settings\":{\"tile\":\"pong\",\"address\":\"$2\"}}" \
    >"$tmp/$1/shoal/saves/shoal_menu/game.settings.json"
}
write_settings data ""
write_settings peer_data "127.0.0.1:99999"
name="Ada $$" # other suites may host matches in the same network
printf '%s' "$name" >"$tmp/data/shoal/match.name"
printf Bob >"$tmp/peer_data/shoal/match.name"

count() { grep -cF -- "$2" "$1"; } # count FILE TEXT: prints the number of lines with the text
host_has_more() { [ "$(count "$log" "$1")" -gt "$before" ]; }
peer_has_more() { [ "$(count "$peer_log" "$1")" -gt "$before" ]; }

small="--no-watch --width 640 --height 360"
# shellcheck disable=SC2086
start play $small
# shellcheck disable=SC2086
start_peer play $small

# The controls of the page, in windows of half the menu's size.
point_at_host() { point_at 125 142; }
point_at_join() { point_at 125 210; }
point_at_match() { point_at 435 $((112 + $1 * 15)); } # point_at_match NUMBER

opens_page() {
  wait_for 20 both_have "menu: pong" || fail "$(show_logs)"
  wait_for 20 has_window_of "$program" || fail "no window of the host"
  wait_for 20 has_window_of "$peer" || fail "no window of the peer"
  xdotool windowmove "$(find_window "$program")" 0 0 windowmove "$(find_window "$peer")" 640 0
  select_window "$program"
  press_until 20 t host_has "menu: together"
  select_window "$peer"
  press_until 20 t peer_has "menu: together"
}
it_always "T opens the page for matches of the selected game" opens_page

shows_error() {
  select_window "$peer"
  point_at_join
  click_until 20 peer_has "menu: says"
  peer_has "menu: says The address “127.0.0.1:99999” is unknown." || fail "$(show_logs)"
}
it "joining an invalid address leads back to the page Play together, which shows the reason" shows_error

hosts() {
  select_window "$program"
  point_at_host
  click_until 20 host_has "lobby: $name has joined"
}
it_always "the page Play together hosts a match and opens its lobby" hosts

# For keys that change the page again if they are pressed twice: repeats a press only if nothing happens for long.
press_once() { # press_once KEY CHECK TEXT
  for _ in 1 2 3; do
    xdotool key "$1"
    ! wait_for 10 "$2" "$3" || return 0
  done
  fail "$1 does not lead to “$3”: $(show_logs)"
}

# The question has the buttons Stay, which has the focus, and End the match.
try_leaving() {
  before=0
  press_once Escape host_has_more "lobby: asks whether player 1 leaves"
  xdotool key --delay 300 Down Return
  before=1
  wait_for 5 host_has_more "menu: together"
}
leaves_lobby() {
  select_window "$program"
  try_leaving || try_leaving || fail "the lobby does not end: $(show_logs)"
  point_at_host
  click_until 20 host_has_more "lobby: $name has joined"
}
it "a host who leaves the lobby returns to the page Play together" leaves_lobby

finds_match() { grep -q "menu: match [0-9]*: $name: Rally, 1 of 2 players at " "$peer_log"; }
joins() {
  wait_for 20 finds_match || fail "the match is not found: $(show_logs)"
  before=$(count "$log" "wants to join")
  select_window "$peer"
  wait_for 20 try_joining || fail "a click does not join the match: $(show_logs)"
}
# Two hosts without windows: a changed copy of the game, and a match with as many players as it can have.
cp -r "$root/scripts/games/pong" "$tmp/changed"
echo '-- changed' >>"$tmp/changed/systems/flow.lua"
"$release" run "$tmp/changed" --host --port 0 --headless --name "Cy $$" >/dev/null 2>&1 &
changed=$!
"$release" play pong --host --port 0 --headless --local 2 --name "Di $$" >/dev/null 2>&1 &
full=$!
trap 'kill "$changed" "$full" 2>/dev/null; clean_up_both' EXIT
lists_problems() {
  grep -q "menu: match [0-9]*: Cy $$: Rally, [12] of 2 players, other version at " "$peer_log" &&
    grep -q "menu: match [0-9]*: Di $$: Rally, 2 of 2 players, full at " "$peer_log"
}
shows_problems() {
  wait_for 30 lists_problems || fail "no problem is shown: $(show_logs)"
  select_window "$peer"
  before=$(count "$peer_log" "menu: joins")
  for match in Cy Di; do
    point_at_match "$(sed -n "s/^menu: match \\([0-9]*\\): $match $$: .*/\\1/p" "$peer_log" | tail -n 1)"
    xdotool click 1 sleep 1
  done
  ! peer_has_more "menu: joins" || fail "the match is joined: $(show_logs)"
  kill "$changed" "$full"
}
it "the page Play together shows why full matches and matches of different versions cannot be chosen" shows_problems

try_joining() { # the match moves in the list when a different host no longer answers
  point_at_match "$(sed -n "s/^menu: match \\([0-9]*\\): $name: .*/\\1/p" "$peer_log" | tail -n 1)"
  try_event "click 1" host_has_more "wants to join"
}
it_always "the page Play together lists a match in the local network, and a click joins the match" joins

cancels() {
  before=$(count "$peer_log" "menu: together")
  select_window "$peer"
  press_once Escape peer_has_more "menu: together"
  joins
}
it "Escape cancels joining and leads back to the page Play together" cancels

marks_ready() { # marks_ready PROCESS NAME: the box has the focus; presses it again if the key was lost
  select_window "$1"
  for _ in 1 2 3; do
    xdotool key space
    ! wait_for 10 host_has "lobby: $2 is ready" || return 0
  done
  fail "$2 cannot get ready: $(show_logs)"
}
plays() {
  select_window "$program"
  press_once F7 peer_has "lobby: Bob has joined"
  marks_ready "$peer" Bob
  marks_ready "$program" "$name"
  wait_for 20 both_have "lobby: the game begins" || fail "$(show_logs)"
}
it_always "the game begins in both windows once both players are ready" plays

ends() {
  before=$(count "$peer_log" "menu: together")
  stop_program
  wait_for 20 peer_has "menu: says The host has ended the match" || fail "$(show_logs)"
  wait_for 20 peer_has_more "menu: together" || fail "$(show_logs)"
}
it "when the host ends the match, the peer returns to the page Play together" ends
