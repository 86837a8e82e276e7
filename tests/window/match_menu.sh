# The menu of a match in two windows: Escape opens the menu in one window only, the match continues with the same
# hashes, a changed volume is saved, chat lines appear in both windows, and leaving is reported in the host's window.
# needs: release
screen_width=1280 screen_height=800
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
game=$tmp/race
rm -rf "$game" "$tmp/data" "$tmp/peer_data"
mkdir -p "$game/systems" "$tmp/peer_data/shoal/saves/menu_race"
cat >"$game/game.lua" <<'END'
return { title = 'Race', id = 'menu_race', multiplayer = { players = { 2, 4 } },
  start = function() world.spawn(nil, { transform = {}, camera = { background = { 0, 0.3, 0, 1 } } }) end }
END
echo 'return { fire = { "key:f" }, back = { "key:escape" }, ask = { "key:o" }, show = { "key:p" },
  quit = { "key:q" } }' >"$game/input.lua"
echo 'return { music = shoal.types.f32(1, { min = 0, max = 1 }), skill = shoal.types.enum { "easy", "hard" } }' \
  >"$game/settings.lua"
echo 'return { score = shoal.types.single { shots = 0 } }' >"$game/components.lua"
cat >"$game/systems/shots.lua" <<'END'
return {
  phase = "input",
  update = function()
    local score = world.single.score
    for number = 1, 2 do
      if input.pressed("fire", number) then
        score.shots = score.shots + number
        log.info("race: player %d fires", number)
      end
      if input.pressed("back", number) then log.info("race: player %d goes back", number) end
      if input.pressed("ask", number) then world.options(number) end
      if input.pressed("show", number) then world.options(3 - number) end
      if input.pressed("quit", number) then world.quit(number) end
    end
  end,
}
END
echo '{"format":1,"settings":{"skill":"hard","music":0.5}}' >"$tmp/peer_data/shoal/saves/menu_race/game.settings.json"

. "$root/tests/two_windows.sh"

# The part of the peer's window that contains the menu, without notices.
crop() { convert "$tmp/$1.png" -crop 380x300+770+10 +repage -format '%#' info:; }
# tap KEY: presses a key of the peer's menu, and waits until the menu has changed and no longer moves
tap() {
  picture before
  xdotool key "$1"
  wait_for 10 has_changed || fail "the key $1 changes nothing: $(show_logs)"
  wait_for 10 is_still || fail "the menu does not stand still after the key $1"
}
has_changed() { picture after && [ "$(crop before)" != "$(crop after)" ]; }
is_still() {
  picture before
  picture after
  [ "$(crop before)" = "$(crop after)" ]
}
# dimmed LEFT: the background at the left edge of a window, whose colour is 0 77 0 without a menu
dimmed() {
  picture menu
  [ "$(convert "$tmp/menu.png" -format "%[fx:round(255*p{$1,200}.g)]" info:)" -lt 60 ]
}
undimmed() { ! dimmed "$1"; }
settings_of_peer() { grep -qF -- "$1" "$tmp/peer_data/shoal/saves/menu_race/game.settings.json"; }

start run "$game" --host --port 0 --players 2 --accept --name Ada --no-watch --width 640 --height 360 --hash every=30
wait_for 20 host_has "listening: "
address=127.0.0.1:$(sed -n 's/^listening: .*://p' "$log")
start_peer run "$game" --join "$address" --name Bob --no-watch --width 640 --height 360 --hash every=30

opens() {
  wait_for 30 both_have "tick 30 hash" || fail "the match does not begin: $(show_logs)"
  xdotool windowmove "$(find_window "$program")" 0 0 windowmove "$(find_window "$peer")" 640 0
  wait_for 10 undimmed 645 || fail "the background is dark before the menu opens"
  select_window "$peer"
  tap Escape
  wait_for 10 dimmed 645 || fail "no menu after Escape: $(show_logs)"
  undimmed 5 || fail "the menu is in the other window, too"
  ! both_have "goes back" || fail "Escape reaches the game: $(show_logs)"
}
it_always "Escape opens the menu in one window, and does not reach the game" opens

changes_volume() {
  xdotool key f
  tap Down
  tap Return
  tap Down
  tap Left
  wait_for 10 settings_of_peer '"music":0.45' || fail "the volume is not saved: $(show_logs)"
  settings_of_peer '"skill":"hard"' || fail "the host's settings are saved: $(cat "$tmp"/peer_data/shoal/saves/*/*.json)"
  ! both_have "player 2 fires" || fail "a key of the menu reaches the game: $(show_logs)"
}
it_always "a volume that is changed in the menu is saved on this machine" changes_volume

closes() {
  tap Escape
  tap Escape
  wait_for 10 undimmed 645 || fail "the menu stays open"
  xdotool key f
  wait_for 10 both_have "player 2 fires" || fail "the keys do not return to the game: $(show_logs)"
  xdotool key o
  wait_for 10 dimmed 645 || fail "world.options opens no options: $(show_logs)"
  undimmed 5 || fail "world.options opens the options in the other window, too"
  tap Escape
  wait_for 10 undimmed 645 || fail "the options stay open"
}
it_always "after the menu is closed, keys reach the game, which can open the options on a player's machine" closes

# The peer cannot predict the key of the host.
shows() {
  select_window "$program"
  xdotool key p
  wait_for 10 dimmed 645 || fail "a key of the host opens no options of the peer: $(show_logs)"
  undimmed 5 || fail "the options are in the host's window, too"
  select_window "$peer"
  tap Escape
  wait_for 10 undimmed 645 || fail "the options stay open"
}
it_always "a key of one player can open the options of a different player" shows

asks() {
  xdotool key q
  wait_for 10 dimmed 645 || fail "world.quit asks nothing: $(show_logs)"
  undimmed 5 || fail "world.quit asks in the other window, too"
  wait_for 10 is_still || fail "the question does not stand still"
  tap Escape
  wait_for 10 undimmed 645 || fail "the question stays open"
  ! has_exited "$peer" || fail "world.quit ends the program: $(show_logs)"
}
it_always "world.quit with a player's number asks this player whether to leave" asks

entry() { convert "$tmp/$1.png" -crop "300x30+$2+325" +repage -format '%#' info:; }
entry_is_shown() { picture after && [ "$(entry before "$1")" != "$(entry after "$1")" ]; }
open_chat() { # open_chat PROCESS LEFT: LEFT is the left edge of the entry in the picture
  select_window "$1"
  picture before
  xdotool key t
  wait_for 10 entry_is_shown "$2" || fail "T opens no entry: $(show_logs)"
}
chats() {
  open_chat "$peer" 800
  undimmed 645 || fail "the chat hides the game"
  xdotool type --delay 60 'hello f' # f is a key of the game
  xdotool key Return
  wait_for 10 both_have "chat: Bob: hello f" || fail "the line does not arrive: $(show_logs)"
  [ "$(grep -c "player 2 fires" "$log")" = 1 ] || fail "the letters of the chat reach the game: $(show_logs)"
  open_chat "$program" 160
  xdotool type --delay 60 'hello Bob'
  xdotool key Return
  wait_for 10 both_have "chat: Ada: hello Bob" || fail "the host's line does not arrive: $(show_logs)"
}
it_always "a chat line is shown in both windows while the match continues" chats

# The keys arrive in the same frame as T, and while it is held.
types_fast() {
  select_window "$peer"
  picture before
  xdotool keydown t key --delay 0 a b keyup t key --delay 0 t c
  wait_for 10 entry_is_shown 800 || fail "T opens no entry: $(show_logs)"
  xdotool key Return
  wait_for 10 both_have 'chat: Bob: abtc' || fail "letters after T are lost: $(show_logs)"
}
it_always "letters typed while the key that opens the chat is held are part of the line, but this key is not" types_fast

agrees() {
  grep '^tick [0-9]* hash' "$log" | sort >"$tmp/host_hashes"
  grep '^tick [0-9]* hash' "$peer_log" | sort >"$tmp/peer_hashes"
  equal=$(comm -12 "$tmp/host_hashes" "$tmp/peer_hashes" | wc -l)
  different=$(cat "$tmp/host_hashes" "$tmp/peer_hashes" | sort -u | cut -d' ' -f2 | sort | uniq -d | wc -l)
  [ "$equal" -gt 5 ] && [ "$different" = 0 ] || fail "$equal equal and $different different hashes"
  ! grep -q '^desync' "$log" "$peer_log" || fail "$(grep -h '^desync' "$log" "$peer_log")"
}
it "both machines have the same hashes while the menu is used" agrees

leaves() {
  select_window "$peer"
  tap Escape
  tap Up
  tap Return
  tap Down
  xdotool key Return
  wait_for 20 has_exited "$peer" || fail "the machine does not leave: $(show_logs)"
  wait_for 20 host_has "player 2 has left" || fail "$(show_logs)"
  ! host_has "lost the connection" || fail "$(show_logs)"
}
it "leaving the match through the menu ends the program, and the host reports the departure" leaves
