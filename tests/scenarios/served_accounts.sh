# Accounts of a served world in real processes: names, machines, bans and invitations, and doors between rooms.
# needs: release release/world_owner
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

make_game() { # make_game [SETTINGS [RATE]]: SETTINGS are fields of `serve`
  rm -rf village
  mkdir -p village/systems
  cat >village/game.lua <<END
return { title = "Village", id = "served_accounts", tick_rate = ${2:-60}, multiplayer = { players = { 1, 8 } },
  serve = { $1 rooms = { cellar = { enter = false }, mine = {}, ruin = {}, town = { sleeps = false } } } }
END
  echo 'return { fire = { "key:f" } }' >village/input.lua
  echo 'return { score = shoal.types.single { joined = 0, moved = false, since = 0 } }' >village/components.lua
  # The name of a player decides what the player does.
  cat >village/systems/work.lua <<'END'
local DOORS = { miner = { town = "mine", mine = "town" }, cellarer = { town = "cellar" }, ghost = { town = "ruin" } }
local function report(...)
  local ok, problem = pcall(players.move, ...)
  print("move", ok, (tostring(problem):gsub("\n.*", "")))
end
return {
  on = { player_joined = function(ev)
    world.single.score.joined = world.single.score.joined + ev.count
    world.single.score.since = world.tick
    for i = 1, ev.count do
      for _, player in ipairs(players.list()) do
        if player.number == ev.player[i] and player.name == "tester" then
          report(player.number, world.room)
          report(player.number, "twon")
          report(9, "mine")
          report(player.number, 7)
          if world.room == "town" then
            report(player.number, "mine")
            report(player.number, "ruin")
          end
        end
      end
    end
  end,
  player_left = function(ev)
    for i = 1, ev.count do report(ev.player[i], "mine") end
  end },
  update = function()
    for _, player in ipairs(players.list()) do
      if player.name == "leaver" then print("plays", world.room) end
      if player.name == "sleeper" and world.room == "town" and world.tick == world.single.score.since + 840 then
        players.move(player.number, "mine")
      end
      if player.name == "leaver" and world.room == "town" and not world.single.score.moved then
        world.single.score.moved = true
        print("moves", world.tick)
        players.move(player.number, "mine")
      end
    end
    if world.tick % 40 ~= 0 then return end
    for _, player in ipairs(players.list()) do
      print("here", world.room, player.name, player.account, player.number, world.single.score.joined)
      local doors = DOORS[player.name]
      if doors and doors[world.room] then players.move(player.number, doors[world.room]) end
    end
  end,
}
END
}

port=$((20000 + $$ * 11 % 25000))
serve() { # serve [OPTIONS…]
  forget server
  "$release" serve village --db "$tmp/world/world.db" --port $port "$@" >server.out 2>server.err </dev/null &
  server=$!
  echo $server >>servers
  wait_for 20 has_line server.out '^listening: ' || fail "$(cat server.err)"
}
stop_all() {
  # shellcheck disable=SC2046
  kill $(cat servers ./*.process 2>/dev/null) 2>/dev/null
  rm -f servers ./*.process
  wait
}
: >servers
new_world() { # new_world [SETTINGS [RATE [OPTIONS…]]]
  trap stop_all EXIT
  rm -rf world user-*
  mkdir world
  make_game "$1" "${2-}"
  shift $(($# < 2 ? $# : 2))
  serve "$@"
}
end_world() {
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 ./*.err)"
}
change() { "$(bin release world_owner)" world/world.db "$1" 0 >/dev/null || fail "cannot change the database: $1"; }

# join MACHINE USER NAME [OPTIONS…]: starts a machine of a user whose player has this name
join() {
  machine=$1
  user=$2
  name=$3
  shift 3
  forget "$machine"
  XDG_DATA_HOME="$tmp/user-$user" "$release" run village --headless --no-watch --world "127.0.0.1:$port" \
    --name "$name" "$@" >"$machine.out" 2>"$machine.err" </dev/null &
  echo $! >"$machine.process"
}
leave() {
  for machine; do
    kill "$(cat "$machine.process")" 2>/dev/null
    wait "$(cat "$machine.process")" 2>/dev/null
    rm -f "$machine.process"
  done
}
is_in() { # is_in MACHINE ROOM NAME ACCOUNT: the machine plays in this room, where the player has this name and account
  wait_for 30 has_line "$1.out" "^here	$2	$3	$4	" ||
    fail "$1: $3 ($4) is not in $2: $(tail -n 3 "$1.out" "$1.err" server.err)"
}
refuses() { # refuses TEXT USER [OPTIONS…]
  text=$1
  user=$2
  shift 2
  XDG_DATA_HOME="$tmp/user-$user" run_for 20 "$release" run village --headless --no-watch --world "127.0.0.1:$port" "$@"
  exits 1
  says err "$text"
}
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" server.err | tail -n 1; }

accounts_and_names() {
  new_world
  join a ada Ada
  is_in a mine Ada 1 # the first room by name that is not closed
  join b bob ADA --room mine
  is_in b mine 'ADA 2' 2
  is_in a mine 'ADA 2' 2
  leave a
  change "UPDATE account SET name = 'Lovelace', name_key = 'lovelace' WHERE id = 1"
  join a ada Ada
  is_in a mine Lovelace 1 # the player returns to the last room
  leave a b
  end_world
}
it "a new account gets a unique name, and a player keeps the account after its name was changed" accounts_and_names

second_machine() {
  new_world
  join a ada Ada --room town
  is_in a town Ada 1
  join b ada Ada --room town
  is_in b town Ada 1
  wait_for 20 has_line a.err 'joined the world from a different machine' || fail "a: $(cat a.err)"
  [ "$(sed -n 's/^here	town	Ada	1	1	//p' b.out | tail -n 1)" = 1 ] || fail "a new player has joined: $(tail -n 2 b.out)"
  join c ada Ada --room mine
  is_in c mine Ada 1
  wait_for 20 has_line b.err 'joined the world from a different machine' || fail "b: $(cat b.err)"
  leave a b c
  end_world
}
it "a second machine of the same user replaces the first machine, even in a different room" second_machine

killed_room() {
  new_world
  join a ada Ada --room town
  is_in a town Ada 1
  join b bob Bob --room town
  is_in a town Bob 2
  wait_until_committed world/world.db town
  kill -9 "$(room_process town)"
  wait_for 30 has_line a.err 'connected again' || fail "a: $(tail -n 5 a.err server.err)"
  wait_for_lines a.out '^here	town	Ada' 3
  joined=$(sed -n 's/^here	town	Ada	1	[0-9]*	//p' a.out | tail -n 1)
  [ "$joined" = 2 ] || fail "players have joined $joined times"
  join c ada Ada --room mine # the recovered room releases the account
  is_in c mine Ada 1
  leave a b c
  end_world
}
it "a room that was killed still knows its players' accounts, and releases an account that joins a different room" killed_room

# A lost commit, as after the promotion of a standby, can leave the account in a different visit than the room expects.
departure_of_a_different_visit() {
  new_world
  join a ada Ada --room town
  is_in a town Ada 1
  change "UPDATE account SET session = session + 1 WHERE id = 1"
  leave a
  wait_for 30 has_line server.err \
    'error: .*account 1 has left, but it was in a different room or visit (1): what it had here is dropped' ||
    fail "no error line: $(tail -n 5 server.err)"
  [ "$(grep -c 'it was in a different room or visit' server.err)" = 1 ] || fail "repeated: $(cat server.err)"
  end_world
}
it "the departure of an account whose stored visit differs from the room's visit is reported once" departure_of_a_different_visit

bans() {
  new_world
  join a ada Ada --room mine
  is_in a mine Ada 1
  leave a
  change "UPDATE account SET banned_until = 99999999999, reason = 'spam' WHERE id = 1"
  refuses 'h: spam' ada --room mine
  refuses 'h: spam' ada --room town
  change "UPDATE account SET banned_until = 1"
  join a ada Ada --room mine
  is_in a mine Ada 1
  leave a
  end_world
}
it "a banned account cannot join any room" bans

invitations() {
  new_world 'accounts = "invite",'
  refuses 'New players need an invitation code' ada
  refuses 'New players need an invitation code' ada --code abcd-efgh-jkmn
  "$release" world world/world.db invite >invite.out || fail "no code: $(cat invite.out)"
  code=$(sed -n 's/^code: //p' invite.out)
  join a ada Ada --room town --code "$code"
  is_in a town Ada 1
  refuses 'New players need an invitation code' bob --code "$code"
  leave a
  join a ada Ada --room town # needs no code any more
  is_in a town Ada 1
  leave a
  end_world
}
it "an invitation code permits one new account" invitations

doors() {
  new_world
  refuses 'Players cannot join this room directly' eve --name Eve --room cellar
  join a ada cellarer --room town
  is_in a town cellarer 2
  join b bob miner --room town
  is_in a cellar cellarer 2
  is_in b mine miner 3
  wait_for 30 has_line b.err 'leaves the room mine' || fail "b: $(tail -n 4 b.err)"
  leave a
  join a ada cellarer # the account belongs there now
  is_in a cellar cellarer 2
  ! has_line a.out '^here	town' || fail "the player has come to the town: $(cat a.out)"
  leave a b
  end_world
}
it "players.move moves players to a different room, even to a room that they cannot join directly" doors

# A tick takes 1 s, so the tick with the request is committed long before the tick in which the player leaves.
move_before_a_crash() {
  new_world '' 1 --hash every=1
  join a ada leaver --room town
  wait_for 60 has_line a.out '^moves	' || fail "a: $(tail -n 4 a.out a.err server.err)"
  tick=$(($(sed -n 's/^moves	//p' a.out) + 1)) # the number of the tick while it runs, plus 1
  wait_for 10 has_line server.out "^town tick $tick hash" || fail "tick $tick is not committed: $(tail -n 4 server.out)"
  kill -9 "$(room_process town)"
  wait_for 60 has_line server.err "moves to mine, as requested before the crash in tick $tick$" ||
    fail "the move is lost: $(tail -n 9 server.err a.err)"
  wait_for 60 has_line a.out '^plays	mine$' || fail "a: $(tail -n 4 a.out a.err server.err)"
  leave a
  end_world
}
it "a move in the last committed tick before a crash is repeated" move_before_a_crash

# The machine loses its connection after 10 s of silence, and the player moves 4 s later.
has_moved() { # succeeds once the departure to the mine is committed
  [ "$(sqlite3 -cmd '.timeout 10000' world/world.db "SELECT place FROM account WHERE room IS NULL")" = mine ]
}
move_during_silence() {
  new_world
  join a ada sleeper --room town
  is_in a town sleeper 1
  kill -STOP "$(cat a.process)"
  wait_for 40 has_moved || fail "the player does not move: $(tail -n 4 server.err)"
  kill -CONT "$(cat a.process)"
  is_in a mine sleeper 1
  joins=$(grep -c 'town: player . joined: sleeper' server.err)
  [ "$joins" = 1 ] || fail "the player has joined the town $joins times: $(cat a.err)"
  leave a
  end_world
}
it "a player who moves while the machine is silent does not return to the former room" move_during_silence

closed_door() {
  new_world
  change "INSERT INTO room VALUES (99, 'ruin', 0, 0, 5, 5, 0, 1, 0, '')" # a room whose snapshots are missing
  join a ada ghost --room town
  is_in a town ghost 1
  wait_for 40 has_line a.err 'returns to the room town' || fail "a: $(tail -n 4 a.err server.err)"
  wait_for 20 has_line a.err 'connected again' || fail "a: $(tail -n 4 a.err server.err)"
  leave a
  end_world
}
it "a player whose new room does not open returns to the former room after 10 s" closed_door

wrong_moves() {
  new_world
  join a ada tester --room town
  wait_for 30 has_line a.out '^move	false	.*no room 7;' || fail "a: $(tail -n 4 a.out a.err)"
  for text in 'player 1 is already in the room town' 'no room twon (did you mean town?)' 'from 1 to 8, got 9'; do
    has_line a.out "$text" || fail "missing: $text: $(cat a.out)"
  done
  # The first of two moves in a tick is executed. A player who is leaving cannot move.
  has_line a.out '^move	false	.*player 1 already moves to the room mine in this tick: ' || fail "$(cat a.out)"
  wait_for 20 has_line server.out '^town: move	false	.*player 1 does not take part: ' || fail "$(cat server.out)"
  is_in a mine tester 1
  leave a
  end_world
}
it "an invalid call of players.move is a script error" wrong_moves

lost_key() {
  new_world
  join a ada Ada --room town
  is_in a town Ada 1
  leave a
  end_world
  rm world/world.key
  serve
  join a ada Ada --room town
  is_in a town 'Ada 2' 2
  leave a
  end_world
}
it "a world whose key is lost recognizes no account" lost_key

