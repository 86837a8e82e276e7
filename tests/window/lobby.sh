# The lobby of a match in two windows: the host accepts the peer, both players write, get ready and play, and the end of
# the host is reported in the peer's window. Each machine has its own settings.
# needs: release
screen_width=1280 screen_height=800
. "$(dirname "$0")/../lib.sh"
. "$root/tests/display.sh"
game=$tmp/race
saves=$tmp/data/shoal/saves peer_settings=$tmp/peer_data/shoal/saves/lobby_race/game.settings.json
rm -rf "$game" "$tmp/data" "$tmp/peer_data"
mkdir -p "$game/systems" "$saves/lobby_race" "${peer_settings%/*}"
echo "return { title = 'Race', id = 'lobby_race', multiplayer = { players = { 2, 4 } } }" >"$game/game.lua"
echo 'return { music = 1.0, skill = shoal.types.enum { "easy", "hard" }, best = 0 }' >"$game/settings.lua"
echo '{"format":1,"settings":{"skill":"hard","music":0.25,"scale":"stretch"}}' >"$saves/lobby_race/game.settings.json"
echo '{"format":1,"settings":{"skill":"easy","music":0.75}}' >"$peer_settings"
echo 'return { fire = { "key:f" } }' >"$game/input.lua"
cat >"$game/systems/names.lua" <<'END'
return {
  -- A peer may begin with the host's state after the first tick, so it does not log the events of this tick.
  update = function()
    if world.tick == 60 then
      for _, p in ipairs(players.list()) do log.info("race: %d %s %.2f", p.number, p.name, p.colour.r) end
    elseif world.tick == 90 then
      settings.best = 7
      log.info("race: skill %s", settings.skill)
    end
  end,
}
END

. "$root/tests/two_windows.sh"

start run "$game" --host --port 0 --name Ada --no-watch --width 640 --height 360
it_always "the host opens the lobby and prints its address" wait_for 20 host_has "lobby: Ada has joined"
xdotool windowmove "$(find_window "$program")" 0 0
lobby_has() { grep -qF -- "$1" "$saves/shoal_lobby/game.settings.json"; }
uses_settings() { wait_for 10 lobby_has '"music":0.25' && lobby_has '"scale":"stretch"'; }
it_always "the lobby uses the volumes and window settings of this machine" uses_settings
# same_list PICTURE PICTURE: compares the upper part of the list of players and of the chat, which the glow of widgets brightens
same_list() {
  for name; do convert "$tmp/$name.png" -crop 620x150+10+58 +repage "$tmp/list_$name.png"; done
  [ "$(compare -metric AE -fuzz 10% "$tmp/list_$1.png" "$tmp/list_$2.png" null: 2>&1)" = 0 ]
}
shows_name() { # succeeds once the lobby shows the name and no longer changes
  ! [ -e "$tmp/lobby.png" ] || mv "$tmp/lobby.png" "$tmp/before.png"
  picture lobby
  [ "$(colours lobby 310x36+325+12)" -gt 20 ] && [ -e "$tmp/before.png" ] && same_list before lobby
}
it_always "the lobby shows the name under which other machines find the match" wait_for 20 shows_name
address=127.0.0.1:$(sed -n 's/^listening: .*://p' "$log")
start_peer run "$game" --join "$address" --name Bob --no-watch --width 640 --height 360

accepts_by_key() {
  wait_for 20 host_has "match: Bob wants to join" || fail "$(show_logs)"
  ! peer_has "lobby: " || fail "the machine joins without an answer: $(show_logs)"
  wait_for 30 colourful question 300x45+170+6 100 || fail "no question above the list"
  same_list lobby question || fail "the question covers the list or the chat"
  select_window "$program"
  press_until 20 F7 peer_has "lobby: Bob has joined"
}
it_always "the host is asked whether a machine may join, and accepts the machine with F7" accepts_by_key
xdotool windowmove "$(find_window "$peer")" 640 0

# The controls: name, colour, ready, leave, begin. The widgets of a window of 640 × 360 pixels have half of their size.
writes() {
  select_window "$peer"
  for attempt in 1 2 3 4; do
    point_at 450 275 # the entry of the chat, which gets the focus in the next frame
    xdotool click 1 sleep "$attempt" type --delay 60 'hello there'
    xdotool key Return
    ! wait_for 5 both_have "hello there" || return 0
  done
  fail "no line: $(show_logs)"
}
it "a chat line that one player writes appears in both windows" writes

is_ready() { [ "$(grep -o "lobby: $1 is .*ready" "$log" | tail -n 1)" = "lobby: $1 is ready" ]; }
# marks_ready NAME: clicks the box unless a key has set the mark, and clicks it again if the click was lost.
marks_ready() {
  point_at 265 320
  for attempt in 1 2 3; do
    is_ready "$1" || xdotool click 1
    ! wait_for 5 is_ready "$1" || return 0
  done
  fail "$1 cannot get ready: $(show_logs)"
}

gets_ready() {
  select_window "$peer"
  marks_ready Bob
  select_window "$program"
  ! host_has "lobby: the game begins" || fail "the game begins although the host is not ready: $(show_logs)"
  marks_ready Ada
  wait_for 20 both_have "race: 2 Bob" || fail "$(show_logs)"
  both_have "race: 1 Ada 0.34" || fail "$(show_logs)"
}
it_always "the game begins in both windows once both players are ready, with their names and colours" gets_ready

keeps_settings() {
  wait_for 20 both_have "race: skill hard" || fail "the peer has other settings than the host: $(show_logs)"
  wait_for 10 grep -qF '"best":7' "$saves/lobby_race/game.settings.json" || fail "the host stores no settings"
  grep -qF '"skill":"easy"' "$peer_settings" && grep -qF '"music":0.75' "$peer_settings" &&
    ! grep -qF '"best":7' "$peer_settings" || fail "the peer has stored $(cat "$peer_settings")"
}
it "the peer plays with the host's settings, and keeps its own settings file" keeps_settings

ends() {
  stop_program
  wait_for 20 peer_has "the host has ended the match" || fail "$(show_logs)"
}
it "when the host ends the match, the peer reports that the host has ended the match" ends
