# Bots that only watch a served world, and bots that attack their room, in real processes.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

make_game() {
  rm -rf village world
  mkdir -p village/systems world
  cat >village/game.lua <<'END'
return { title = "Village", tests = true, id = "served_bots", tick_rate = 30, multiplayer = { players = { 1, 8 } },
  serve = { rooms = { town = { sleeps = false } } } }
END
  echo 'return { fire = { "key:f" }, jump = { "key:j" } }' >village/input.lua
  echo 'return { score = shoal.types.single { shots = 0, players = 0 } }' >village/components.lua
  echo 'return { runs = 0 }' >village/plant.lua # state of a module, which no snapshot contains
  cat >village/systems/work.lua <<'END'
local plant = require "plant"
return {
  update = function()
    plant.runs = plant.runs + 1
    local since = plant.runs - (plant.first or math.huge)
    if since >= 0 and since < 20 then world.single.score.shots = 1000 end -- predicted runs may be undone
    world.single.score.players = #players.list()
    if world.tick > 0 and world.single.score.players > 8 then print("players", world.single.score.players) end
    if world.tick % 30 == 0 then print("tick", world.tick, world.single.score.shots) end
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then world.single.score.shots = world.single.score.shots + 1 end
    end
  end,
}
END
}
players=8 # maximum number of players in the room
port=$((20000 + $$ * 13 % 25000))
serve() { # serve OPTIONS…: serves a new world with bots
  make_game
  sed -i "s/sleeps = false/sleeps = false, players = $players/" village/game.lua
  forget server # the background process may empty the files only after the test has searched them
  "$release" serve village --db "$tmp/world/world.db" --port $port --log debug "$@" \
    >server.out 2>server.err </dev/null &
  server=$!
  trap 'kill $server 2>/dev/null; wait $server' EXIT
}
end_world() {
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 server.err)"
}
repaired_tick() { sed -n "s/.*match: took over the room's state of tick //p" client.err | tail -n 1; }
# agrees_later: succeeds if the client and the room have printed the same line for a tick after the repair
agrees_later() {
  line=$(grep '^tick	' client.out | tail -n 1)
  [ "$(echo "$line" | cut -f 2)" -gt "$(repaired_tick)" ] && has_line server.out "^town: $line$"
}

operates() { # operates ARGUMENTS…: runs an operators' command, which must exit with status 0
  run_for 60 "$release" world world/world.db "$@"
  exits 0
}
waits() { wait_for 40 has_line server.err "$1" || fail "no line '$1': $(tail -n 5 server.err)"; }

# A spectator has no player, so `ban` finds it in no room. The room checks the accounts of its spectators every 10 s.
drops_banned_spectator() {
  serve --bots 3 --watchers 1
  waits '^3 of 3 bots play'
  ! has_line server.err 'player 3 joined' || fail "the spectator has a player: $(cat server.err)"
  operates ban "Bot 3" forever "for shouting"
  begin=$(date +%s)
  waits 'the room has closed the connection: a user has banned the player'
  [ $(($(date +%s) - begin)) -le $((20 * SLOW / 100)) ] || fail "the room has checked its spectators late"
  waits 'bot 3 cannot join the room town: '
  ! has_line server.err 'bot [12] has lost the connection' || fail "a player was dropped: $(cat server.err)"
  operates unban "Bot 3"
  wait_for 40 has_lines server.err '^3 of 3 bots play' 2 ||
    fail "the spectator does not return: $(tail -n 5 server.err)"
  end_world
}
it "a spectator whose account is banned is dropped by the next check, and returns after the account is unbanned" \
  drops_banned_spectator

# plant_change BOTS: once the bots play, starts a client whose system changes the score from its 120th run on, and waits
# for the repair.
plant_change() {
  waits "^$1 of $1 bots play"
  forget client
  XDG_DATA_HOME="$tmp/user" "$release" run village --headless --no-watch --world "127.0.0.1:$port" \
    --exec 'require("plant").first = 120' >client.out 2>client.err </dev/null &
  client=$!
  trap 'kill $client $server 2>/dev/null; wait' EXIT
  wait_for 60 has_line client.err "match: took over the room's state" || fail "no repair: $(tail -n 5 client.err)"
}
leave() {
  kill $client
  wait $client
}

# The room computes no traces, so the log does not name the field that differs, but the room's state replaces the
# changed state.
mends_changed_state() {
  serve --bots 2
  plant_change 2
  has_line client.out '^desync: tick [0-9]*: ' || fail "the difference was not found: $(tail -n 5 client.out)"
  ! grep 'desync.*score' client.out server.err >bad || fail "the room has traced: $(cat bad)"
  wait_for 30 agrees_later || fail "the client differs from the room: $(tail -n 3 client.out server.out)"
  [ "$(tail -n 1 client.out | cut -f 3)" -lt 1000 ] || fail "the changed state remains: $(tail -n 3 client.out)"
  ! has_line server.err 'has lost the connection\|closed the connection' || fail "$(tail -n 5 server.err)"
  leave
  end_world
}
it "a client whose state was changed is detected and receives the room's state" mends_changed_state

names_changed_field() {
  serve --bots 2 --trace-desyncs
  plant_change 2
  wait_for 20 has_line server.err '^town: warn: desync of player 3 in tick [0-9]*: score.shots [0-9]* and 1000' ||
    fail "the field is not named: $(grep desync server.err client.out)"
  leave
  end_world
}
it "with --trace-desyncs, a room names the field in which a client differs" names_changed_field

# A client records the ticks before a difference. The room has more players than the game allows in other matches.
replays_large_room() {
  players=12
  serve --bots 10
  plant_change 10
  wait_for 60 has_line client.err 'replay them with --replay' || fail "no recording: $(tail -n 5 client.err)"
  leave
  end_world
  recording=$(sed -n 's/.*replay them with --replay //p' client.err | head -n 1)
  run_for 40 "$release" run village --headless --no-watch --replay "$recording"
  ! grep 'score.players' err || fail "the replay lacks players"
  grep -q '^players	11$' out || fail "the replay has a different number of players: $(cat out err)"
}
it "a recording of a room with 11 players is replayed with all players" replays_large_room

# Each hostile bot runs all nine attacks in nine seconds.
limits_hostile_bots() {
  serve --bots 6 --hostile 2 --net-sim 40ms,10ms,1%
  waits '^4 of 4 bots play'
  wait_for 60 has_lines server.err ': beat ' 20 || fail "the room sends no beats: $(tail -n 5 server.err)"
  waits 'closed the connection.*: malformed message'
  waits 'closed the connection.*: the state differs too often'
  ! grep 'bot [0-9]* has lost\|crash\|killed\|desync of player\|error' server.err >bad || fail "$(head -n 3 bad)"
  [ "$(grep -c '^[0-3] of 4 bots play' server.err)" -le 1 ] || fail "an honest bot was dropped: $(cat server.err)"
  # A flood must not fill the log, which contains one line about a beat and one line about the bots per second.
  lines=$(wc -l <server.err)
  [ "$lines" -lt 1500 ] || fail "the log has $lines lines: $(tail -n 20 server.err)"
  end_world
}
it "a room limits hostile bots and drops no other bot" limits_hostile_bots

rejects_counts() {
  make_game
  run_for 20 "$release" serve village --bots 3 --watchers 2 --hostile 2
  exits 2
  says err "--watchers and --hostile: 4 bots of 3: use a larger number with --bots"
}
it "serve refuses --watchers and --hostile if their sum exceeds --bots" rejects_counts
