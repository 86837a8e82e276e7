# What a player sees when a match has problems: a desync, a host that is silent, a lost host, the address of the machine
# that continues as the host, and why a machine cannot join. The first host has no window.
# needs: release
screen_width=640 screen_height=360
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
game=$tmp/race
rm -rf "$game" "$tmp/other" "$tmp/data" "$tmp/peer_data"
mkdir -p "$game/systems" "$game/lib"
cat >"$game/game.lua" <<'END'
return { title = 'Race', id = 'lost_host', multiplayer = { players = { 2, 4 } },
  start = function() world.spawn(nil, { transform = {}, camera = { background = { 0, 0.3, 0, 1 } } }) end }
END
echo 'return { fire = { "key:f" } }' >"$game/input.lua"
echo 'return { score = shoal.types.single { bonus = 0 } }' >"$game/components.lua"
echo 'return { bonus = 1 }' >"$game/lib/rules.lua"
cat >"$game/systems/fire.lua" <<'END'
local rules = require "lib.rules"
return {
  phase = "input",
  update = function()
    if input.pressed("fire", 2) then world.single.score.bonus = rules.bonus end
  end,
}
END
cp -r "$game" "$tmp/other"
echo '-- changed' >>"$tmp/other/systems/fire.lua"

. "$root/tests/two_windows.sh"
trap 'kill -CONT "$program" 2>/dev/null; clean_up_both' EXIT # the host may be suspended

start run "$game" --host --port 0 --headless --players 2 --name Ada --no-watch --hash every=30
wait_for 20 host_has "listening: "
start_peer run "$game" --join "127.0.0.1:$(sed -n 's/^listening: .*://p' "$log")" --name Bob --no-watch --width 640 \
  --height 360 --hash every=30 --exec 'require("lib.rules").bonus = 2' # not part of the world: the machines differ

# The badge is in the upper right corner, where the game draws nothing.
badge() { convert "$tmp/$1.png" -crop 400x40+240+0 +repage -format '%#' info:; }
clear_of_badges() { picture clear && [ "$(colours clear 400x40+240+0)" = 1 ]; }
# has_next_badge: succeeds if the badge differs from the badge in the last picture
has_next_badge() {
  mv "$tmp/badge.png" "$tmp/last_badge.png"
  picture badge
  [ "$(badge badge)" != "$(badge last_badge)" ]
}
# red_pixels PICTURE CROP: prints the number of pixels that have the red of panels and notices
red_pixels() {
  convert "$tmp/$1.png" -crop "$2" +repage -fuzz 12% -fill black +opaque '#f55459' -fuzz 0 -fill white +opaque black \
    -format '%[fx:int(mean*w*h)]' info:
}
has_panel() { picture "$1" && [ "$(red_pixels "$1" 320x180+0+90)" -gt 100 ]; }
has_no_panel() { ! has_panel panel; }
has_bad_notice() { picture notice && [ "$(red_pixels notice 640x60+0+300)" -gt 5 ]; }

plays() {
  wait_for 30 both_have "tick 30 hash" || fail "the match does not begin: $(show_logs)"
  xdotool windowmove "$(find_window "$peer")" 0 0
  wait_for 20 clear_of_badges || fail "a badge in a match without problems"
}
it_always "a match without problems shows no badge" plays

try_difference() {
  xdotool key f
  wait_for 1 has_bad_notice
}
differs() {
  select_window "$peer"
  wait_for 20 try_difference || fail "no notice: $(show_logs)"
  wait_for 10 both_have "desync: tick " || fail "$(show_logs)"
}
it_always "a desync shows a notice" differs

is_silent() {
  picture badge
  kill -STOP "$program"
  for text in "Waiting for the host" "The host is silent: 1 s" "The host is silent: 2 s"; do
    wait_for 10 has_next_badge || fail "no badge “$text”: $(show_logs)"
  done
  kill -CONT "$program"
  wait_for 20 clear_of_badges || fail "the badge stays: $(show_logs)"
  ! peer_has "The host is gone" || fail "$(show_logs)"
}
it_always "while the host is silent for a short time, the peer shows a badge that counts the seconds" is_silent

loses_host() {
  kill -9 "$program"
  wait_for 40 peer_has "The host is gone" || fail "$(show_logs)"
  wait_for 10 has_panel lost || fail "no panel: $(show_logs)"
  peer_has "match: saved tick" || fail "$(show_logs)"
}
it_always "when the host is lost, the peer shows a panel and saves the match" loses_host

continues() {
  select_window "$peer"
  press_until 20 Return peer_has "this machine is the host from tick"
  wait_for 10 has_no_panel || fail "the panel stays: $(show_logs)"
  ! clear_of_badges || fail "no badge with the address of the new host"
}
it_always "Enter in the panel of a lost host continues the match as the host, and a badge shows the address" continues

# The menu is in the middle, and one line taller than a peer's menu: at this point, it covers the green background.
has_tall_menu() {
  picture menu
  [ "$(convert "$tmp/menu.png" -format '%[fx:p{320,86}.b>p{320,86}.g]' info:)" = 1 ]
}
shows_address() {
  select_window "$peer"
  xdotool key Escape
  wait_for 10 has_tall_menu || fail "no menu with an address: $(show_logs)"
}
it "the menu of the new host shows its address" shows_address

# shows_refusal PICTURE FILE: a machine with a changed copy of the game is refused; the log names the file
shows_refusal() {
  "$release" run "$tmp/other" --join "127.0.0.1:$(sed -n 's/^listening: .*://p' "$peer_log")" --no-watch --width 640 \
    --height 360 --log info >"$tmp/refused.log" 2>&1 </dev/null &
  refused=$!
  wait_for 20 grep -q "Different files: .*$2" "$tmp/refused.log" || fail "$(cat "$tmp/refused.log")"
  wait_for 20 has_window_of "$refused" || fail "no window"
  xdotool windowmove "$(find_window "$refused")" 0 0
  wait_for 10 has_panel "$1" || fail "no panel: $(cat "$tmp/refused.log")"
  kill "$refused"
  wait "$refused" || :
}
it "a machine that is refused because of a different file shows a panel with the reason" shows_refusal refused systems/fire.lua

shows_refusal_in_german() {
  [ -e "$tmp/refused.png" ] || shows_refusal refused systems/fire.lua
  mkdir -p "$tmp/other/strings"
  echo 'return { hello = "Hallo" }' >"$tmp/other/strings/de.lua"
  shows_refusal refused_de strings/de.lua
  # The title is one line in the upper left of the panel.
  for name in refused refused_de; do convert "$tmp/$name.png" -crop 200x14+182+138 +repage "$tmp/title_$name.png"; done
  [ "$(compare -metric AE "$tmp/title_refused.png" "$tmp/title_refused_de.png" null: 2>&1)" -gt 20 ] ||
    fail "the title is the same in both languages"
}
it "the panel with the reason of a refusal is in the language of the game on the refused machine" shows_refusal_in_german
