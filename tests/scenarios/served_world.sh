# A served world in real processes: players join rooms, rooms crash, hang, sleep and wake, and a second process takes
# over the world.
# needs: release release/world_owner
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

make_game() {
  rm -rf village
  mkdir -p village/systems village/scenes
  cat >village/game.lua <<'END'
return { title = "Village", id = "served_village", multiplayer = { players = { 1, 4 } }, scene = "town",
  tick_rate = 20, serve = { rooms = {
    cellar = { enter = false }, mine = { scene = "mine", count = 2, players = 1 }, town = { sleeps = false } } } }
END
  for scene in town mine; do
    echo '{ "format": 1, "entities": [ { "components": { "place": { "name": "'$scene'" } } } ] }' \
      >village/scenes/$scene.json
  done
  echo 'return { fire = { "key:f" } }' >village/input.lua
  echo 'return { place = { name = "" }, score = shoal.types.single { joined = 0, gold = 0 } }' >village/components.lua
  cat >village/systems/work.lua <<'END'
return {
  on = { player_joined = function(ev)
    world.single.score.joined = world.single.score.joined + ev.count
    print("joined", world.single.score.joined)
  end },
  update = function()
    local score = world.single.score
    score.gold = score.gold + 1
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then print("fired") end
    end
    if score.gold % 10 == 0 then
      for e in world.each "place" do print("works", e.place.name, score.gold) end
    end
  end,
}
END
}

# serve NAME [OPTIONS…]: starts a process that serves the world, and sets $server. The world and its four rooms use the
# ports from $port on.
port=$((20000 + $$ * 7 % 25000))
serve() {
  name=$1
  shift
  forget "$name"
  "$release" serve village --db "$tmp/world/world.db" --port $port "$@" >"$name.out" 2>"$name.err" </dev/null &
  server=$!
  echo $server >>servers
}
stop_all() {
  # shellcheck disable=SC2046
  kill $(cat servers ./*.process 2>/dev/null) 2>/dev/null
  rm -f servers ./*.process
  wait
}
: >servers

new_world() { # new_world [OPTIONS…]: serves a new world
  trap stop_all EXIT
  rm -rf world
  mkdir world
  make_game
  serve server "$@"
  wait_for 20 has_line server.out '^listening: ' || fail "$(cat server.err)"
}
end_world() { # end_world: SIGTERM ends the world with status 0
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 ./*.err)"
}

join() { # join NAME [OPTIONS…]: starts a player's machine with a separate account
  name=$1
  shift
  forget "$name"
  XDG_DATA_HOME="$tmp/user-$name" "$release" run village --headless --no-watch --world "127.0.0.1:$port" "$@" \
    >"$name.out" 2>"$name.err" </dev/null &
  echo $! >"$name.process"
}
leave() {
  kill "$(cat "$1.process")" 2>/dev/null
  wait "$(cat "$1.process")" 2>/dev/null
  rm -f "$1.process"
}
works() { # works NAME PLACE: the machine plays in this place
  wait_for 30 has_line "$1.out" "^works	$2" || fail "$1 does not play in $2: $(tail -n 4 "$1.err" ./*server.err)"
}
gold() { sed -n 's/^works	[a-z]*	//p' "$1.out" | tail -n 1; }
has_more_gold() { [ "$(gold "$1")" -gt "$2" ]; }
room_process() { sed -n "s/^room $1: starts (process \([0-9]*\)).*/\1/p" server.err | tail -n 1; }

status_of() { # status_of ROOM: the state that the command `world` prints
  "$release" world world/world.db status | sed -n "s/^$1  *\([a-z]*\) .*/\1/p" | head -n 1
}
is_in_state() { [ "$(status_of "$1")" = "$2" ]; }

refuses() { # refuses TEXT OPTIONS…: a machine with these options cannot join
  text=$1
  shift
  run_for 20 "$release" run village --headless --no-watch "$@"
  exits 1
  says err "$text"
}
has_no_process() { ! kill -0 "$1" 2>/dev/null; }

two_rooms() {
  new_world
  join a --room town
  join b --room mine
  works a town
  works b mine
  wait_for 10 is_in_state town running || fail "$("$release" world world/world.db status)"
  is_in_state mine-1 running || fail "$("$release" world world/world.db status)"
  has_line server.out '^town: joined' || fail "lines of scripts do not name the room: $(cat server.out)"
  has_line server.out '^mine-1: joined' || fail "$(cat server.out)"
  leave a
  leave b
  end_world
  has_line server.err '^town: room town sleeps' || fail "$(cat server.err)"
  ! grep -q "crash\|killed\|restart" server.err || fail "$(cat server.err)"
}
it "two players can play in two rooms of a world at the same time" two_rooms

# The machine must play again within 6 s on the reference CPU.
survives_kill() {
  new_world
  join a --room town
  join b --room mine
  works a town
  works b mine
  wait_for 10 has_more_gold b 20 || fail "b does not play: $(tail -n 5 b.err server.err)"
  before=$(gold b)
  other=$(gold a)
  begin_ms=$(date +%s%3N)
  kill -9 "$(room_process mine-1)"
  wait_for 30 has_line b.err 'connected again' || fail "b: $(tail -n 5 b.err server.err)"
  wait_for 30 has_more_gold b "$((before + 20))" || fail "b does not play: $(tail -n 5 b.err server.err)"
  passed_ms=$(($(date +%s%3N) - begin_ms))
  echo "$passed_ms" >>rejoin_ms
  [ $passed_ms -lt $((SLOW > 100 ? 60 * SLOW : 6000)) ] || fail "b plays again after $passed_ms ms"
  has_line server.err 'room mine-1: ended by SIGKILL; restart in 0 s' || fail "$(cat server.err)"
  has_more_gold a "$other" || fail "the other room has stopped"
  ! grep -q "again" a.err || fail "a has lost its room: $(cat a.err)"
  leave a
  leave b
  end_world
}
it "a room that was killed recovers, and its player plays again within 6 s" survives_kill

# The world answers after the first request of the machine has timed out.
asks_again() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  freeze world/world.db "$server"
  join a --room town
  wait_for 30 has_line a.err 'the world does not answer: asking it again' || fail "$(cat a.err)"
  kill -CONT "$server"
  works a town
  leave a
  end_world
}
it "a machine repeats its request when the world does not answer the first request" asks_again

hung_room() {
  new_world
  join a --room town
  works a town
  process=$(room_process town)
  before=$(gold a)
  kill -STOP "$process"
  wait_for 30 has_line server.err 'room town: killed, because its process does not respond' || fail "$(cat server.err)"
  wait_for 30 has_more_gold a "$((before + 10))" || fail "a does not play: $(tail -n 4 a.err server.err)"
  has_no_process "$process" || fail "the hung process exists"
  leave a
  end_world
}
it "a room that hangs for 10 s is killed, and its player plays again" hung_room

shows_damage() {
  "$release" world world/world.db status >status
  has_line status '^town  *damaged'
}

# Without the supervisor, which would start the room again, the kill leaves records after the last snapshot.
damaged_room() {
  new_world
  join a --room town
  works a town
  wait_for 10 has_more_gold a 40 || fail "a does not play: $(tail -n 5 a.err server.err)"
  kill -STOP "$server"
  kill -9 "$(room_process town)"
  kill -9 "$server"
  wait "$server" 2>/dev/null
  leave a
  "$(bin release world_owner)" world/world.db \
    'DELETE FROM journal WHERE first = (SELECT MIN(first) FROM journal WHERE first > 20)' 0 >/dev/null
  serve server --take-over
  wait_for 20 has_line server.err 'room town: cannot start: ' || fail "$(cat server.err)"
  wait_for 20 shows_damage || fail "$(cat status)"
  has_line status '^town cannot start: .*record' || fail "$(cat status)"
  has_line status 'serve GAME --accept-loss town' || fail "$(cat status)"
  refuses "The room cannot start: its operator must repair it." --world 127.0.0.1:$port --room town
  [ "$(grep -c 'room town: starts' server.err)" = 1 ] || fail "the room was started again: $(cat server.err)"
  end_world
  serve server --accept-loss town
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  join a --room town
  works a town
  leave a
  end_world
}
it "a room with damaged rows is not started again, unless --accept-loss names the room" damaged_room

slow_room() {
  new_world
  join a --room town
  works a town
  kill -STOP "$(room_process town)"
  sleep 4
  kill -CONT "$(room_process town)"
  before=$(gold a)
  wait_for 20 has_more_gold a "$((before + 10))" || fail "a does not play: $(tail -n 3 a.err)"
  ! grep -q "again" a.err || fail "the session was not kept: $(cat a.err)"
  leave a
  end_world
}
it "a player's machine keeps its session in a room that is silent for 4 s" slow_room

sessions() { sqlite3 -cmd '.timeout 10000' world/world.db 'SELECT session FROM account'; }
# ends_room_during_claim: locks the database while a machine asks for the room, kills the machine, and ends the room.
ends_room_during_claim() {
  rm -f lock locked
  mkfifo lock
  sqlite3 world/world.db <lock >locked 2>&1 &
  locker=$!
  exec 9>lock
  printf ".timeout 20000\nBEGIN IMMEDIATE;\nSELECT 'locked';\n" >&9
  wait_for 20 has_line locked '^locked$' || fail "the database cannot be locked: $(cat locked)"
  join a --room mine
  sleep 3 # the world answers until its beats fail
  ended=$(grep -c 'room mine-1: asleep' server.err)
  kill -9 "$(cat a.process)"
  kill "$(room_process mine-1)"
  printf 'ROLLBACK;\n' >&9
  exec 9>&-
  wait "$locker" || true
  wait_for 40 has_lines server.err 'room mine-1: asleep' $((ended + 1)) || fail "$(tail -n 5 server.err)"
}
# The room ends while its claim of the account waits for the database. A slow machine may ask too late.
sleeps_during_claim() {
  new_world
  for _ in 1 2 3 4 5; do
    join a --room mine
    works a mine
    leave a
    wait_for 90 is_nowhere || fail "a does not leave: $(tail -n 3 server.err)"
    before=$(sessions)
    ends_room_during_claim
    is_nowhere || fail "the room that has ended keeps the account"
    [ "$(sessions)" = "$before" ] || break
  done
  [ "$(sessions)" -gt "$before" ] || skip "the machine is too slow: no claim has waited"
  end_world
}
is_nowhere() { [ "$(sqlite3 -cmd '.timeout 10000' world/world.db 'SELECT count(*) FROM account WHERE room IS NOT NULL')" = 0 ]; }
it "a room that ends while it claims an account releases the account" sleeps_during_claim

# A folder has the name of a shipped game: the world and its players must use the same files.
finds_one_game() {
  trap stop_all EXIT
  rm -rf world
  mkdir world
  make_game
  rm -rf hamlet
  cp -r village hamlet
  forget server a
  "$release" serve hamlet --db "$tmp/world/world.db" --port $port >server.out 2>server.err </dev/null &
  server=$!
  echo $server >>servers
  wait_for 40 has_line server.out '^listening: ' || fail "$(cat server.err)"
  has_line server.err 'hamlet: uses the game in .*/scripts/games/hamlet: write ./hamlet for the folder' || fail "$(cat server.err)"
  XDG_DATA_HOME="$tmp/user-a" "$release" run hamlet --headless --no-watch --world "127.0.0.1:$port" \
    >a.out 2>a.err </dev/null &
  echo $! >a.process
  wait_for 40 has_line server.err 'player 1 joined' || fail "$(cat a.err server.err)"
  has_line a.err 'write ./hamlet for the folder' || fail "$(cat a.err)"
  leave a
  end_world
}
it "serve and --world use the same files if a folder has the name of a shipped game" finds_one_game

fills_rooms() {
  new_world
  join a --room mine
  works a mine
  join b --room mine
  works b mine
  [ "$(room_process mine-1)" ] && [ "$(room_process mine-2)" ] || fail "$(cat server.err)"
  join c --room mine
  wait_for 20 has_line c.err 'The room is full. It has at most 1 players.' || fail "$(cat c.err)"
  for machine in a b c; do leave $machine; done
  end_world
}
it "players who request a room name with several rooms fill these rooms in order" fills_rooms

refusals() {
  new_world
  refuses "match: the world has no room twon: did you mean --room town?" --world 127.0.0.1:$port --room twon
  refuses "Players cannot join this room directly." --world 127.0.0.1:$port --room cellar
  refuses "join it with --world instead of --join" --join 127.0.0.1:$port
  refuses "did you mean" --world 127.0.0.1:$port --room mine-3
  end_world
}
it "a machine that cannot join a room of a world shows the reason" refusals

takes_over() {
  new_world
  join a --room town
  works a town
  first=$server
  gold_before=$(gold a)
  serve second --take-over
  code=0
  wait "$first" || code=$?
  [ $code = 4 ] || fail "the first process has ended with status $code"
  has_line server.err 'a different process owns the world now' || fail "$(cat server.err)"
  wait_for 40 has_line second.err 'room town: open' || fail "$(cat second.err)"
  wait_for 30 has_more_gold a "$((gold_before + 20))" || fail "a does not play: $(tail -n 4 a.err second.err)"
  leave a
  end_world
}
it "serve --take-over takes over a world from a running process, and the world's players continue" takes_over

# A different world uses the port: the second process of the first world must not end the first process.
port_in_use() {
  new_world
  mkdir -p other
  other_port=$((port + 20))
  forget other
  "$release" serve village --db "$tmp/other/world.db" --port $other_port >other.out 2>other.err </dev/null &
  echo $! >>servers
  wait_for 20 has_line other.out '^listening: ' || fail "$(cat other.err)"
  "$(bin release world_owner)" world/world.db 'CREATE TABLE former AS SELECT owner FROM world' 0 ||
    fail "world_owner has failed"
  run_for 30 "$release" serve village --db "$tmp/world/world.db" --port $other_port --take-over
  exits 2
  says err "$other_port"
  says err 'it serves a different world'
  "$(bin release world_owner)" world/world.db 'CREATE TABLE claims (n CHECK (n = 0));
    INSERT INTO claims SELECT count(*) FROM world WHERE owner <> (SELECT owner FROM former)' 0 ||
    fail "the world was claimed"
  end_world
}
it "a process that cannot open its port does not take over the world" port_in_use

# Suspends the process $first while it holds no lock of the database, for which a second process would wait.
is_suspended_unlocked() {
  kill -STOP "$first"
  ! sqlite3 -cmd '.timeout 1000' world/world.db 'BEGIN IMMEDIATE; ROLLBACK' 2>/dev/null || return 0
  kill -CONT "$first"
  return 1
}

# The former owner needs more than 3 s to answer at its port, and the second owner must wait for it.
waits_for_slow_owner() {
  skip_without sqlite3
  new_world
  first=$server
  trap 'kill -CONT "$first" 2>/dev/null; stop_all' EXIT # a stopped process would not handle SIGTERM
  wait_for 20 is_suspended_unlocked || fail "the process always holds a lock: $(cat server.err)"
  serve second --take-over
  wait_for 20 has_line second.err 'trying again for 30 s' || fail "$(cat second.err)"
  sleep 4 # longer than the 3 s after which a process that asks the port gives up
  kill -0 "$server" || fail "the second process has ended: $(cat second.err)"
  kill -CONT "$first"
  code=0
  wait "$first" || code=$?
  [ $code = 4 ] || fail "the first process has ended with status $code: $(tail -n 3 server.err)"
  wait_for 20 has_line second.out '^listening: ' || fail "$(cat second.err)"
  wait_for 40 has_line second.err 'room town: open' || fail "$(cat second.err)"
  end_world
}
it "a process that takes over waits until a slow owner has closed the port" waits_for_slow_owner

# The port is used by a process that does not own the world and does not answer.
explains_silent_port() {
  new_world
  "$release" serve village --db "$tmp/world/world.db" --port $((port + 20)) >waiting.out 2>waiting.err </dev/null &
  waiting=$!
  echo $waiting >>servers
  wait_for 20 has_line waiting.err 'waiting until it has sent no beat' || fail "$(cat waiting.err)"
  run_for 30 "$release" serve village --db "$tmp/world/world.db" --port $((port + 20)) --take-over
  exits 2
  says err "UDP port $((port + 20)): Address already in use"
  says err 'it has not answered for 10 s'
  kill $waiting
  wait $waiting || true
  end_world
}
it "a process whose port remains in use reports this after 10 s" explains_silent_port

# ends_waiting NAME: SIGTERM must end the process $waiting, which waits for its port, with status 0.
ends_waiting() {
  kill "$waiting"
  code=0
  wait "$waiting" || code=$?
  [ $code = 0 ] || fail "the waiting process has ended with status $code: $(tail -n 3 "$1.err")"
  ! grep error "$1.err" || fail "$(cat "$1.err")"
}
# Succeeds once $waiting has opened the lock file, immediately before it waits for its port.
has_opened_lock() { ls -l "/proc/$waiting/fd" | grep -q 'world\.lock'; }
ends_while_waiting() {
  new_world
  first=$server
  own_port=$port
  port=$((port + 20))
  serve user # does not own the world, and does not answer at its port
  wait_for 20 has_line user.err 'waiting until it has sent no beat' || fail "$(cat user.err)"
  serve asking --take-over
  waiting=$server
  port=$own_port
  wait_for 20 has_opened_lock || fail "the process has not opened the lock file: $(cat asking.err)"
  sleep 0.3 # the process does not log that it waits
  ends_waiting asking
  trap 'kill -CONT "$first" 2>/dev/null; stop_all' EXIT
  freeze world/world.db "$first"
  serve second --take-over
  waiting=$server
  wait_for 20 has_line second.err 'trying again for 30 s' || fail "$(cat second.err)"
  ends_waiting second
}
it "a process that waits for its port exits with status 0 on SIGTERM" ends_while_waiting

# Meanwhile, the machine of a player, which has lost its room, neither continues as the host nor saves the world.
waits_for_owner() {
  new_world
  join a --room town
  works a town
  kill -9 "$server" "$(room_process town)"
  wait "$server" 2>/dev/null
  gold_before=$(gold a)
  begin=$(date +%s)
  serve second
  wait_for 60 has_line second.out '^listening: ' || fail "$(cat second.err)"
  [ $(($(date +%s) - begin)) -ge 9 ] || fail "the second process did not wait"
  wait_for 20 has_line second.err 'room town: open' || fail "$(cat second.err)"
  wait_for 40 has_more_gold a "$((gold_before + 20))" || fail "a does not play: $(tail -n 4 a.err second.err)"
  ! has_line a.err 'continues as the host\|saved tick' || fail "$(cat a.err)"
  find user-a -name 'match.*' >saves
  [ ! -s saves ] || fail "the machine has saved the world: $(cat saves)"
  leave a
  end_world
  serve third # the second process has given the world up
  wait_for 20 has_line third.out '^listening: ' || fail "$(cat third.err)"
  ! has_line third.err 'waiting until' || fail "$(cat third.err)"
  end_world
}
it "a process waits 10 s for the owner of the world, unless the owner has released the world" waits_for_owner

rooms_end_with_server() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  process=$(room_process town)
  kill -9 "$server"
  wait "$server" 2>/dev/null
  wait_for 20 has_no_process "$process" || fail "the room has survived"
}
it "rooms end when the process that serves them is killed" rooms_end_with_server

# SIGTERM has no effect on a suspended process until it is continued. Its successor must get its port.
stopped_room_is_replaced() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  process=$(room_process town)
  freeze world/world.db "$process"
  kill -9 "$server"
  wait "$server" 2>/dev/null
  serve server --take-over
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  has_line server.err "room town: killed its former process $process" || fail "$(cat server.err)"
  wait_for 5 has_no_process "$process" || fail "the former process exists"
  end_world
}
it "a room process that is suspended when its world is killed is replaced when the world is served again" stopped_room_is_replaced

# Changes the suspended process's entry in the lock file, so that the process seems to run on a different machine, whose
# process ids are not valid here. The first 256 bytes of the file describe the owner of the world.
distant_room_is_named() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  process=$(room_process town)
  trap 'kill -9 "$process" 2>/dev/null; stop_all' EXIT
  freeze world/world.db "$process"
  kill -9 "$server"
  wait "$server" 2>/dev/null
  number=$(sqlite3 world/world.db "SELECT number FROM room WHERE name = 'town'")
  dd if=world/world.lock bs=256 skip="$number" count=1 status=none | grep -aq "^lock $number process $process space " ||
    fail "the process has not stored its place"
  echo "lock $number process $process space other host db2" |
    dd of=world/world.lock bs=256 seek="$number" conv=notrunc status=none
  serve server --take-over
  wait_for 30 has_line server.err "a former process of the room does not end: end process $process on host db2" ||
    fail "$(cat server.err)"
  kill -0 "$process" || fail "the process was killed"
  ! grep -q 'killed its former process' server.err || fail "$(cat server.err)"
  kill -9 "$process"
  wait_for 30 has_line server.err 'room town: open' || fail "$(cat server.err)"
  end_world
}
it "a suspended room process on a different machine is reported and not killed" distant_room_is_named

continues_after_end() {
  new_world
  join a --room town
  works a town
  leave a
  end_world
  is_in_state town asleep || fail "$("$release" world world/world.db status)"
  serve server
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  join a --room town
  works a town
  [ "$(gold a)" -gt 10 ] || fail "the room began again"
  wait_for 30 grep -q '^shoal_room_open{room="town"} 1' world/world.prom || fail "$(cat world/world.prom)"
  leave a
  end_world
}
it "a room keeps its state when SIGTERM ends its world and the world is served again" continues_after_end

# The six bots take all places that players may enter. They return after a crash, and their presses change the score.
bots_play() {
  new_world --bots 6
  wait_for 30 has_line server.err '6 of 6 bots play' || fail "$(cat server.err)"
  status_of_all() { "$release" world world/world.db status | sed -n 's/^\([a-z0-9-]*\) *running *\([0-9]*\) .*/\1 \2/p'; }
  are_counted() { [ "$(status_of_all | tr '\n' ' ')" = "mine-1 1 mine-2 1 town 4 " ]; }
  wait_for 10 are_counted || fail "$(status_of_all)"
  wait_for 20 has_line server.out ': fired' || fail "no press has arrived"
  kill -9 "$(room_process town)"
  wait_for 30 has_line server.err 'player [1-4] is back' || fail "$(tail -n 5 server.err)"
  wait_for 20 are_counted || fail "$(status_of_all)"
  ! grep -q 'desync\|bots has ended\|cannot join the room' server.err || fail "$(cat server.err)"
  end_world
}
it "bots play in all rooms that players may join and return after a crash" bots_play

# The scripts of a room see its players above the maximum of a match, which is 8.
twelve_players_play() {
  trap stop_all EXIT
  rm -rf world
  mkdir world
  make_game
  cat >village/game.lua <<'END'
return { title = "Crowd", id = "served_crowd", multiplayer = { players = { 1, 8 } }, scene = "town",
  tick_rate = 20, serve = { rooms = { town = { players = 12, sleeps = false }, hall = { players = 12, enter = false } } } }
END
  cat >village/systems/work.lua <<'END'
return {
  update = function()
    local list = players.list()
    for _, player in ipairs(list) do
      if player.number > 8 and input.pressed("fire", player.number) then
        print("pressed", player.number, input.mouse[player.number].dx)
      end
    end
    if world.room == "hall" and #list > 0 then print("arrived") end
    if world.room == "town" and #list == 12 then players.move(12, "hall") end
  end,
}
END
  serve server --bots 12
  for number in 9 10 11; do
    wait_for 30 has_line server.out "^town: pressed	$number	0$" || fail "player $number: $(cat server.err server.out)"
  done
  wait_for 30 has_line server.out '^hall: arrived$' || fail "$(cat server.err)"
  ! grep 'error' server.err || fail "$(cat server.err)"
  end_world
}
it "scripts list all 12 players of a room and read their actions and mice" twelve_players_play

# Prints the hash that the world has printed for a tick of a room.
printed_hash() { sed -n "s/^$1 tick $2 hash //p" server.out | head -n 1; }

# The recovery prints the hashes since its snapshot again, before it prints its end.
prints_hashes() {
  new_world --hash every=10
  wait_for 20 has_line server.out '^town tick 60 hash [0-9a-f]\{16\}$' || fail "$(cat server.out server.err)"
  kill -9 "$(room_process town)"
  wait_for 20 has_line server.out '^recovered: town tick [0-9]* hash [0-9a-f]\{16\}$' || fail "$(cat server.out)"
  recovered=$(sed -n 's/^recovered: town tick \([0-9]*\) .*/\1/p' server.out)
  wait_for 20 has_line server.out "^town tick $((recovered / 10 * 10 + 20)) hash " || fail "$(cat server.out)"
  end_world
  last=$(sed -n '/^recovered/q; s/^town tick \([0-9]*\) .*/\1/p' server.out | tail -n 1)
  [ "$last" -le "$recovered" ] || fail "tick $last was printed, but tick $recovered was recovered"
  awk '$1 == "town" && $3 % 10 != 0 { exit 1 }
    $1 == "town" && ($3 in hash) && hash[$3] != $5 { exit 1 }
    $1 == "town" { hash[$3] = $5; ++count[$3] }
    END { exit count[60] != 2 || count[10] != 2 }' server.out || fail "$(cat server.out)"
  stored=$("$release" world world/world.db status | sed -n 's/^town *asleep *[0-9]* *\([0-9]*\) .*/\1/p')
  [ "$(printed_hash town $((stored / 10 * 10)))" ] || fail "no hash of tick $((stored / 10 * 10)): $(tail -n 3 server.out)"
  [ "$(grep -c '^listening: ' server.out)" = 1 ] || fail "$(grep '^listening' server.out)"
}
it "--hash prints the hashes of committed ticks, and a recovery repeats them" prints_hashes

sleeps_and_wakes() {
  [ -n "$LONG" ] || skip "a room sleeps after a minute without players; only with --long"
  new_world
  join a --room mine
  works a mine
  leave a
  wait_for 100 has_line server.err 'room mine-1: asleep' || fail "$(cat server.err)"
  is_in_state mine-1 asleep || fail "$("$release" world world/world.db status)"
  join a --room mine
  works a mine
  [ "$(gold a)" -gt 10 ] || fail "the room began again"
  [ "$(grep -c 'room mine-1: starts' server.err)" = 2 ] || fail "$(cat server.err)"
  leave a
  end_world
}
it "a room without players sleeps, and wakes with the next player" sleeps_and_wakes

damaged_key() {
  make_game
  rm -rf world
  mkdir world
  echo short >world/world.key
  run_for 20 "$release" serve village --db "$tmp/world/world.db" --port $port
  exits 2
  says err "world/world.key is damaged: delete it"
}
it "serve refuses a damaged world key and names its file" damaged_key

# The first database has the default name; the second database must not share its key or its metrics. A database with a
# different name keeps a world.key that an earlier version has created.
two_databases() {
  new_world
  key=$(sed -n 's/^key: //p' server.out)
  end_world
  for name in other old; do
    [ $name = other ] || { mkdir old && mv world/world.key old/; }
    folder=$([ $name = other ] && echo world || echo old)
    forget $name
    "$release" serve village --db "$tmp/$folder/$name.db" --port $port >$name.out 2>$name.err </dev/null &
    server=$!
    echo $server >>servers
    wait_for 20 has_line $name.out '^listening: ' || fail "$(cat $name.err)"
    end_world
  done
  [ -s world/other.prom ] && [ -s world/world.prom ] || fail "$(ls world)"
  [ -s world/other.key ] || fail "$(ls world)"
  [ "$(sed -n 's/^key: //p' other.out)" != "$key" ] || fail "two databases have the same key"
  [ "$(sed -n 's/^key: //p' old.out)" = "$key" ] || fail "the key of the former version is not read"
}
it "two databases in one folder have different keys and metrics" two_databases

rejects_bad_input() {
  make_game
  expect_usage "serve requires a game"
  expect_usage "unknown game “nope”: use the name of a game, or the path of a folder with a game.lua" nope
  expect_usage "the 4 rooms need the ports up to 65539: use at most 65531" village --port 65535
  expect_usage "the game has no room twon: did you mean town?" village --accept-loss twon
  expect_usage "the game has no room x: use a name that ./shoal world DB status lists" village --accept-loss x
  expect_usage "--bots 7: the rooms that players may join have places for 6: use at most 6" village --bots 7
  expect_usage "--net-sim requires --bots: it applies only to bots" village --net-sim 10ms,0ms,0%
  expect_usage "--bots must be an integer from 1 to 512" village --bots 0
  expect_usage "--sticks requires --bots: it applies only to bots" village --sticks 1
  expect_usage "--sticks 2: the axes of 2 sticks are 4 actions, but the game has 1" village --bots 1 --sticks 2
  expect_usage "--hash: expected every=K, got “10”" village --hash 10
  expect_usage "--hash: every must be an integer" village --hash every=0
  expect_usage "--budget must be an integer from 0 to 3600000, got “-3”" village --budget -3
  expect_usage "--memory must be an integer from 16 to 1048576, got “x”" village --memory x
  expect_usage "--db requires a file, or postgres://user@host/database" village --db
  expect_usage "postgre://: unknown kind of database: use a file, or postgres://user@host/database" \
    village --db postgre://shoal@localhost/world
  rm -rf world
  mkdir world
  expect_usage "missing/x.db: unable to open database file: check that its folder exists" village --db missing/x.db
  sed -i '/serve = /,$d' village/game.lua
  echo '}' >>village/game.lua
  expect_usage "the game declares no rooms: add serve = { rooms = { town = {} } } to game.lua" village
}
expect_usage() {
  text=$1
  shift
  run_for 20 "$release" serve "$@"
  exits 2
  says err "$text"
}
it "an invalid command line of serve is an error that names the fix" rejects_bad_input

# A damaged header ends all commands with status 3, like a damaged row, because a restart would not help.
damaged_database() {
  new_world
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  end_world
  rm -f world/world.db-wal world/world.db-shm
  echo "no longer a database, but a text that is longer than the header of a database" >text
  dd if=text of=world/world.db conv=notrunc status=none
  for command in "serve village --db world/world.db --port $port" "world world/world.db status" \
    "run village --headless --no-watch --room town --db world/world.db --owner 1 --port 0"; do
    # shellcheck disable=SC2086
    run_for 20 "$release" $command
    exits 3
    says err "world/world.db: file is not a database"
  done
}
it "serve, a room and ./shoal world exit with status 3 if the database file is damaged" damaged_database
