# Room processes of a served world, without a supervisor: kills, recovery, sleeping, a different owner, malformed rows.
# With --long, 200 kills instead of 8; ROOM_KILLS sets their number.
# needs: release release/world_owner
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1
owner_program=$(bin release world_owner)
kills=${ROOM_KILLS:-${LONG:+200}}
kills=${kills:-8}
d=7 f=9 a=4 # scancodes

# make_game: writes the game `town`, in which everything depends on the inputs of all players and on random numbers.
make_game() {
  rm -rf town
  mkdir -p town/systems
  cat >town/game.lua <<'END'
return { title = 'Town', id = 'room_town', multiplayer = { players = { 1, 4 } },
  serve = { rooms = { town = { sleeps = false, scene = "market", players = 3 } } } }
END
  echo 'return { fire = { "key:f" }, move = { negative = { "key:a" }, positive = { "key:d" } } }' >town/input.lua
  echo 'return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0, gold = 0 } }' >town/components.lua
  mkdir -p town/scenes
  echo 'return { start = function() log.info("scene of %s", world.room) end }' >town/scenes/market.lua
  cat >town/systems/play.lua <<'END'
return {
  on = {
    woken = function(ev) log.info("woken after %d s", ev.seconds[1]) end,
    player_joined = function(ev)
      for i = 1, ev.count do world.single.score.joined = world.single.score.joined * 10 + ev.player[i] end
    end,
  },
  update = function()
    local score = world.single.score
    score.gold = score.gold + 1
    if world.tick % 20 == 0 then
      world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds = 2 } })
    end
    for _, player in ipairs(players.list()) do
      if input.pressed("fire", player.number) then score.shots = score.shots + player.number end
      score.x = score.x + input.axis("move", player.number) * world.random()
    end
  end,
}
END
}

remove_world() {
  rm -f world.db* world.key
  make_game
}
new_world() { # new_world: creates a database with an empty world, and sets $owner to its owner
  remove_world
  owner=$("$owner_program" world.db) || fail "world_owner has failed"
}

# start_room NAME [OPTION…]: starts the room `town` in the background, with its output in NAME.out, NAME.err and
# NAME.beats, and its exit status in NAME.status. Sets $room_process.
start_room() {
  name=$1
  shift
  forget "$name"
  : >"$name.beats"
  rm -f "$name.process"
  (
    code=0
    timeout -k 2 $limit_s sh -c 'echo $$ >"$0.process"; exec "$@"' "$name" "$release" run town --headless --no-watch \
      --room town --db world.db --owner "$owner" --port 0 --fd 3 --hash every=1 "$@" \
      >"$name.out" 2>"$name.err" 3>"$name.beats" </dev/null || code=$?
    echo $code >"$name.status"
  ) >/dev/null 2>&1 &
  wait_for 5 test -s "$name.process"
  room_process=$(cat "$name.process")
}
is_open() { has_line "$1.beats" '^open$' || has_ended "$1"; }
wait_until_open() {
  wait_for 20 is_open "$1"
  has_line "$1.beats" '^open$' || fail "$1 has not started: $(tail -n 3 "$1.err")"
}
end_room() { # end_room NAME SIGNAL STATUS
  kill "-$2" "$(cat "$1.process")" 2>/dev/null
  wait_for 20 has_ended "$1" || fail "$1 does not exit"
  [ "$(cat "$1.status")" = "$3" ] || fail "$1: exit status $(cat "$1.status"): $(tail -n 4 "$1.err")"
}
last_acked() { sed -n 's/^beat .* \([0-9]*\) [0-9a-f]*$/\1/p' "$1.beats" | tail -n 1; }

has_acked() { [ "$(last_acked "$1")" -gt "$2" ]; } # has_acked NAME TICK

# follows LATER EARLIER: the room has recovered at least the acknowledged ticks of the earlier process, with equal hashes.
follows() {
  line=$(grep '^recovered: town tick ' "$1.out") || fail "$1 has not recovered: $(tail -n 3 "$1.err")"
  tick=$(echo "$line" | cut -d ' ' -f 4)
  hash=$(echo "$line" | cut -d ' ' -f 6)
  acked=$(last_acked "$2")
  [ "$tick" -ge "${acked:-0}" ] || fail "tick $acked was acknowledged, but tick $tick was recovered"
  [ "$tick" -eq 0 ] || grep -h "^tick $tick hash $hash\$" "$2.out" >/dev/null ||
    fail "$line, but before: $(grep -h "^tick $tick " "$2.out")"
  sed '/^listening/,$d' "$1.out" | grep '^tick ' >replayed
  grep '^tick ' "$2.out" >before
  awk 'NR == FNR { hash[$2] = $4; next } ($2 in hash) && hash[$2] != $4 { exit 1 }' before replayed ||
    fail "the recovery has other hashes"
  ! grep 'recovery differs' "$1.err" || fail "$(grep 'recovery differs' "$1.err")"
}

# play NAME USER OPTIONS…: starts the machine of a user, which plays random keys. Its process is in NAME.process.
play() {
  name=$1
  user=$2
  shift 2
  forget "$name"
  export XDG_DATA_HOME="$tmp/user-$user"
  timeout -k 2 $limit_s sh -c 'echo $$ >"$0.process"; exec "$@"' "$name" "$release" run town --headless --no-watch \
    --replay keys --net-sim 20ms,5ms,1% --name "$user" "$@" >"$name.out" 2>"$name.err" </dev/null &
  export XDG_DATA_HOME="$tmp/data"
}
# create_accounts USER…: only supervisors create accounts, so a supervisor serves the world until all users have joined.
create_accounts() {
  forget server
  world_port=$((20000 + $$ * 7 % 25000))
  "$release" serve town --db world.db --port $world_port >server.out 2>server.err </dev/null &
  server=$!
  trap 'kill $server 2>/dev/null' EXIT
  wait_for 20 has_line server.err 'room town: open' || fail "$(cat server.err)"
  for member; do
    play machine "$member" --world 127.0.0.1:$world_port
    wait_for 20 has_line server.err "joined: $member" || fail "$(tail -n 3 machine.err server.err)"
    end_machine machine
  done
  kill $server
  wait $server || fail "the supervisor has ended with status $?"
  owner=7
  "$owner_program" world.db "UPDATE world SET owner = $owner" 0 || fail "world_owner has failed"
}
end_machine() {
  kill -KILL "$(cat "$1.process")"
  rm "$1.process"
}
# join NAME USER ROOM NUMBER: the machine joins the process of the room directly, as the player NUMBER.
join() {
  address=$(sed -n 's/^listening: .*:/127.0.0.1:/p' "$3.out")
  play "$1" "$2" --join "$address"
  wait_for 20 has_line "$3.err" "player $4 joined: $2\|player $4 is back" || fail "no player: $(tail -n 3 "$1.err" "$3.err")"
}

# survives_kills COUNT: Ada plays in every second process, and Bob in every fourth process. They return as the same
# players, and their machines are killed, too.
survives_kills() {
  remove_world
  press keys Town $((2500 * kills)) 1
  create_accounts Ada Bob
  start_room room.0
  wait_until_open room.0
  for i in $(seq 1 "$1"); do
    former=room.$((i - 1))
    [ $((i % 2)) != 1 ] || join ada Ada "$former" 1
    [ $((i % 4)) != 1 ] || join bob Bob "$former" 2
    wait_for_lines "$former.out" '^tick' $((i * 17 % 60 + 10)) # a different moment between two commits in each round
    end_room "$former" KILL 137
    for machine in ada bob; do
      [ ! -s $machine.process ] || end_machine $machine
    done
    start_room "room.$i"
    wait_until_open "room.$i"
    follows "room.$i" "$former"
  done
  cat room.*.err >rooms.err
  has_line rooms.err 'player 1 is back' && has_line rooms.err 'player 2 is back' || fail "a player has not returned"
  end_room "room.$1" TERM 0
}
it "a room loses no acknowledged tick in $kills kills of its process" survives_kills "$kills"

sleeps_and_wakes() {
  new_world
  start_room first
  wait_until_open first
  wait_for 20 has_line first.err 'scene of town' || fail "$(cat first.err)"
  ! has_line first.err 'warn: scenes' || fail "the check of names rejects world.room: $(cat first.err)"
  wait_for 5 has_line first.out '^tick 20 '
  end_room first TERM 0
  has_line first.err 'room town sleeps at tick' || fail "$(cat first.err)"
  start_room second
  wait_until_open second
  follows second first
  tick=$(sed -n 's/^town: room town sleeps at tick //p' first.err)
  has_line second.out "^recovered: town tick $tick " || fail "$(grep recovered second.out), expected tick $tick"
  wait_for 20 has_line second.err 'woken after [1-9]' || fail "$(cat second.err)"
  wait_for 10 has_acked second "$tick" || fail "the woken room commits nothing: $(cat second.beats)"
  end_room second KILL 137
  start_room third
  wait_until_open third
  follows third second
  end_room third TERM 0
}
it "a room sleeps at SIGTERM and emits woken in the next process" sleeps_and_wakes

cannot_restart() {
  new_world
  echo 'return { update = function() if world.tick == 10 then world.restart() end end }' >town/systems/again.lua
  start_room room
  wait_until_open room
  wait_for 5 has_line room.err 'the room town of a served world cannot restart' || fail "$(cat room.err)"
  wait_for 5 has_line room.out '^tick 20 '
  end_room room TERM 0
}
it "scripts in a room of a served world cannot restart the game" cannot_restart

ends_for_a_new_owner() {
  new_world
  start_room first
  wait_until_open first
  wait_for 5 has_line first.out '^tick 30 '
  owner=$("$owner_program" world.db)
  start_room second
  wait_until_open second
  wait_for 10 has_ended first || fail "the former process continues"
  [ "$(cat first.status)" = 4 ] || fail "exit status $(cat first.status): $(cat first.err)"
  wait_for 5 has_line second.out '^tick 40 '
  end_room second TERM 0
  owner=1
  start_room third
  wait_for 10 has_ended third
  [ "$(cat third.status)" = 4 ] || fail "exit status $(cat third.status): $(cat third.err)"
}
it "a room's process exits with status 4 when a different owner has started the room" ends_for_a_new_owner

pauses_without_database() {
  new_world
  start_room room
  wait_until_open room
  wait_for 5 has_line room.out '^tick 60 '
  "$owner_program" world.db 'BEGIN IMMEDIATE' 6 || fail "the database cannot be locked"
  has_line room.err 'room town pauses until the database answers' || fail "$(cat room.err)"
  wait_for 10 has_line room.err 'room town resumes' || fail "$(cat room.err)"
  # The room runs about 2 s of the 6 s, and continues afterwards.
  waiting=$(sed -n 's/^beat .* \([0-9]*\) [0-9]* [0-9a-f]*$/\1/p' room.beats | sort -n | tail -n 1)
  [ "$waiting" -ge 2000 ] || fail "at most $waiting ms of records waited"
  tick=$(tail -n 1 room.out | cut -d ' ' -f 2)
  wait_for 5 has_line room.out "^tick $((tick + 30)) "
  end_room room KILL 137
  start_room again
  wait_until_open again
  follows again room
  end_room again TERM 0
}
it "a room pauses after two seconds without the database, and resumes" pauses_without_database

# The supervisor kills a room that sends no beat for 10 s, even while the room falls asleep.
beats_while_it_falls_asleep() {
  new_world
  start_room room
  wait_until_open room
  wait_for 5 has_line room.out '^tick 60 '
  "$owner_program" world.db 'BEGIN IMMEDIATE' 8 &
  wait_for 10 has_line room.err 'room town pauses' || fail "$(cat room.err)"
  beats=$(grep -c '^beat' room.beats)
  end_room room TERM 0
  wait $!
  beats=$(($(grep -c '^beat' room.beats) - beats))
  [ "$beats" -ge 3 ] || fail "$beats beats while the room waited for the database"
}
it "a room that waits for its last commit sends beats" beats_while_it_falls_asleep

is_recovered_while_paused() {
  new_world
  start_room room
  wait_until_open room
  wait_for 5 has_line room.out '^tick 60 '
  "$owner_program" world.db 'BEGIN IMMEDIATE' 5 &
  wait_for 10 has_line room.err 'room town pauses' || fail "$(cat room.err)"
  end_room room KILL 137
  wait $!
  start_room again
  wait_until_open again
  tick=$(sed -n 's/^recovered: town tick \([0-9]*\) .*/\1/p' again.out)
  wait_for 5 has_line again.out "^tick $((tick + 30)) " || fail "the room stays paused"
  end_room again TERM 0
}
it "a room that is killed while it is paused continues in the next process" is_recovered_while_paused

# is_damaged STATEMENT MESSAGE: after STATEMENT has damaged its rows, the room must exit with status 3 and MESSAGE.
is_damaged() {
  new_world
  start_room room
  wait_until_open room
  wait_for 20 has_acked room 90 || fail "$(tail -n 3 room.err)"
  end_room room KILL 137
  "$owner_program" world.db "$1" 0 || fail "the rows cannot be changed"
  start_room again
  wait_for 20 has_ended again
  [ "$(cat again.status)" = 3 ] || fail "exit status $(cat again.status): $(cat again.err)"
  has_line again.beats "^damaged .*$2" || fail "$(cat again.beats again.err)"
  has_line again.err "$2" || fail "$(cat again.err)"
}
it "a room with a missing journal row exits with status 3 and reports the row" is_damaged \
  'DELETE FROM journal WHERE first = (SELECT MIN(first) FROM journal WHERE first > 20)' 'record'
it "a room with a truncated journal row exits with status 3 and reports the row" is_damaged \
  'UPDATE journal SET body = substr(body, 1, 20) WHERE first = (SELECT MAX(first) FROM journal)' 'record'
it "a room with a damaged snapshot exits with status 3 and reports the snapshot" is_damaged \
  "UPDATE snapshot SET body = x'00'" 'snapshot'

accepts_loss() {
  new_world
  start_room room
  wait_until_open room
  wait_for 20 has_acked room 90 || fail "$(tail -n 3 room.err)"
  end_room room KILL 137
  "$owner_program" world.db 'DELETE FROM journal WHERE first = (SELECT MIN(first) FROM journal WHERE first > 20)' 0
  start_room again --accept-loss
  wait_until_open again
  has_line again.err '--accept-loss drops the rows after record' || fail "$(cat again.err)"
  tick=$(sed -n 's/^recovered: town tick \([0-9]*\) .*/\1/p' again.out)
  wait_for 20 has_acked again $((tick + 30))
  end_room again KILL 137
  start_room third
  wait_until_open third
  follows third again
  end_room third TERM 0
}
it "with --accept-loss, a room continues from the state before the first missing row" accepts_loss

ends_during_recovery() {
  new_world
  start_room room
  wait_until_open room
  wait_for 20 has_line room.out '^tick 400 '
  end_room room KILL 137
  start_room again
  wait_for 10 has_line again.out '^tick '
  end_room again TERM 0
  start_room third
  wait_until_open third
  cat room.out again.out >both.out # on a busy machine, the signal arrives after the recovery
  cat room.beats again.beats >both.beats
  follows third both
  end_room third TERM 0
}
it "SIGTERM during a room's recovery loses no acknowledged tick" ends_during_recovery

# Each tick takes longer than its 17 ms, so the following ticks are late.
reports_late_ticks() {
  new_world
  cat >town/systems/slow.lua <<'END'
local function work() local n = 0 for i = 1, 2e7 do n = n + i % 7 end return n end
return { update = function() world.single.score.gold = world.single.score.gold + work() % 5 end }
END
  start_room room
  wait_until_open room
  wait_for 20 has_line room.beats '^beat [0-9]* 0 [0-9]* [0-9]* [1-9][0-9]* [1-9][0-9][0-9][0-9][0-9]' ||
    fail "no late ticks: $(tail -n 3 room.beats)"
  end_room room TERM 0
}
it "the beats of a room contain the number of late ticks" reports_late_ticks

# Each tick and each recovered tick takes longer than the 50 ms that scripts have in other programs that must exit.
slow_tick_ends_in_order() {
  new_world
  cat >town/systems/slow.lua <<'END'
local function work() local n = 0 for i = 1, 6e7 do n = n + i % 7 end return n end
return { update = function() world.single.score.gold = world.single.score.gold + work() % 5 end }
END
  start_room room
  wait_until_open room
  wait_for 20 has_line room.out '^tick 5 '
  end_room room TERM 0
  ! has_line room.err 'stopped' || fail "the last tick was cut off: $(cat room.err)"
  start_room again
  wait_until_open again
  follows again room
  end_room again KILL 137
  start_room recovering
  wait_for 20 has_line recovering.out '^tick '
  end_room recovering TERM 0
  ! has_line recovering.err 'stopped\|recovery differs' || fail "a recovered tick was cut off: $(cat recovering.err)"
}
it "SIGTERM does not cut off a slow tick or a slow recovered tick" slow_tick_ends_in_order

# SIGTERM arrives while game.lua runs.
ends_while_it_loads() {
  new_world
  sed -i '1i log.warn("loads") local n = 0 for i = 1, 2e8 do n = n + i % 7 end' town/game.lua
  start_room room
  wait_for 20 has_line room.err loads || fail "$(cat room.err)"
  end_room room TERM 0
  ! has_line room.beats damaged || fail "$(cat room.beats room.err)"
}

it "SIGTERM while a room loads its game does not report a damaged room" ends_while_it_loads

# The save exceeds the size from which reading a file can be interrupted.
large_save() {
  new_world
  cat >town/components.lua <<'END'
local big = {}
for k = 1, 24 do big["f" .. k] = shoal.types.f64(0) end
return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0, gold = 0 }, big = big }
END
  echo 'return { big = { components = { big = {} } } }' >town/assemblages.lua
  echo 'return { start = function() world.spawn_many("big", 30000, function(q)
    for k = 1, 24 do for i = 1, q.count do q.big["f" .. k][i] = world.random() end end
  end) end }' >town/scenes/market.lua
  start_room room
  wait_until_open room
  wait_for 5 has_line room.out '^tick 20 '
  end_room room TERM 0
  ! has_line room.err 'cannot write the save' || fail "$(cat room.err)"
  "$owner_program" world.db "CREATE TABLE size (n CHECK (n > 4 << 20));
    INSERT INTO size SELECT coalesce(max(length(body)), 0) FROM save" 0 || fail "the save is missing or small"
  echo '-- a different version' >>town/systems/play.lua
  start_room again --log info
  wait_until_open again
  has_line again.err 'continues from the save of tick' || fail "$(cat again.err)"
  end_room again TERM 0
}
it "a save of more than 4 MB is stored at SIGTERM and loaded by a different version of the game" large_save

# The state exceeds 64 MB, the limit for states that are sent to joining machines.
large_state() {
  new_world
  cat >town/components.lua <<'END'
local big = {}
for k = 1, 48 do big["f" .. k] = shoal.types.f64(0) end
return { score = shoal.types.single { joined = 0, shots = 0, x = 0.0, gold = 0 }, big = big }
END
  echo 'return { big = { components = { big = {} } } }' >town/assemblages.lua
  echo 'return { start = function() world.spawn_many("big", 200000) end }' >town/scenes/market.lua
  start_room room
  wait_until_open room
  wait_for 20 has_line room.out '^tick 10 '
  end_room room TERM 0
  has_line room.err 'the state has 7[0-9] MB, but machines that join receive at most 64 MB' || fail "$(cat room.err)"
  start_room again
  wait_until_open again
  follows again room
  end_room again KILL 137
}
it "a room with a state of more than 64 MB is recovered" large_state

# Each process runs for 2 to 3 s, which is less than the 5 s (300 ticks) between two snapshots.
snapshots_after_kills() {
  new_world
  for i in 1 2 3 4; do
    start_room "room.$i" --snapshots 5 --log info
    wait_until_open "room.$i"
    tick=$(sed -n 's/^recovered: town tick \([0-9]*\) .*/\1/p' "room.$i.out")
    wait_for 20 has_acked "room.$i" $((${tick:-0} + 115)) || fail "$(tail -n 3 "room.$i.err")"
    end_room "room.$i" KILL 137
  done
  start_room last --log info
  wait_until_open last
  follows last room.4
  ticks=$(sed -n 's/.*recovered \([0-9]*\) ticks after the snapshot.*/\1/p' last.err)
  [ "$ticks" -lt 300 ] || fail "$ticks ticks were recovered: the kills have delayed the snapshot"
  end_room last TERM 0
}
it "a room that is killed often takes snapshots on time" snapshots_after_kills

# snapshots_after OPTION VALUE: waits for two proved snapshots, although the time between snapshots is five minutes.
snapshots_after() {
  new_world
  start_room first --log info "$@"
  wait_until_open first
  wait_for 60 has_lines first.err 'room town: proved the snapshot' 2 || fail "$(tail -n 3 first.err)"
  end_room first TERM 0
}
it "a room takes a snapshot once its ticks have used the CPU time of --snapshot-cpu" snapshots_after --snapshot-cpu 100
it "a room takes a snapshot once its records have the size of --snapshot-bytes" snapshots_after --snapshot-bytes 2000

snapshots_are_proved() {
  new_world
  start_room room --snapshots 1 --log info
  wait_until_open room
  wait_for 20 has_line room.err 'proved the snapshot after record [1-9]' || fail "$(cat room.err)"
  ! has_line room.err 'proof .* has failed' || fail "$(cat room.err)"
  end_room room KILL 137
  start_room again
  wait_until_open again
  follows again room
  end_room again TERM 0
}
it "a child process proves each snapshot of a room" snapshots_are_proved

# stop_proof NAME: stops the process that proves a snapshot of the room, and sets $proof.
stop_proof() {
  proof=$(pgrep -P "$(cat "$1.process")" -f -- ' --prove ') && kill -STOP "$proof" 2>/dev/null
}
count_proofs() { grep -c 'proved the snapshot' "$1.err"; }
has_proved_more() { [ "$(count_proofs "$1")" -gt "$2" ]; } # has_proved_more NAME COUNT
# A world's rooms take their snapshots at about the same time. If all proofs ran in parallel, they would delay the rooms
# for minutes.
one_proof_at_a_time() {
  new_world
  sed -i 's/rooms = {/& mine = { sleeps = false },/' town/game.lua
  start_room town --snapshots 1 --log info
  start_room mine --snapshots 1 --log info --room mine
  wait_until_open town
  wait_until_open mine
  wait_for 20 stop_proof town || fail "no proof has started: $(tail -n 3 town.err)"
  count=$(count_proofs mine)
  wait_for 20 has_acked mine $(($(last_acked mine) + 180)) || fail "the room does not continue: $(tail -n 3 mine.err)"
  ! has_proved_more mine "$count" || fail "two rooms have proved snapshots in parallel"
  kill -CONT "$proof"
  wait_for 20 has_proved_more mine "$count" || fail "the room does not prove its snapshots: $(tail -n 3 mine.err)"
  wait_for 20 has_proved_more town 0 || fail "the first proof has no result: $(tail -n 3 town.err)"
  end_room town TERM 0
  end_room mine TERM 0
}
it "only one room of a world proves a snapshot at a time" one_proof_at_a_time

# Without the room's options, the child could not load the game.
proof_has_the_room_options() {
  new_world
  mkdir -p plugins
  cat >glow.c <<'END'
#include <shoal/plugin.h>
#define GLOW_FIELDS(F) F(u32, ticks, 0)
SHOAL_COMPONENT(glow, GLOW_FIELDS)
static void shine(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i)
    ++SHOAL_COLUMN(v, glow, ticks)[i];
}
SHOAL_PLUGIN(.name = "glow", .version = 1, .components = SHOAL_COMPONENTS(glow),
             .systems = SHOAL_SYSTEMS({.name = "shine", .query = {"glow"}, .run = shine}))
END
  compile_once plugins/glow.so "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"$root/engine/include" \
    glow.c || fail "glow.c does not compile"
  echo 'return { lamp = { components = { glow = {} } } }' >town/assemblages.lua
  echo 'return { start = function() world.spawn_many("lamp", 5) end }' >town/scenes/market.lua
  start_room room --snapshots 1 --log info --plugin plugins --memory 64 --budget 5000
  wait_until_open room
  wait_for 20 has_line room.err 'proved the snapshot after record [1-9]' || fail "$(cat room.err)"
  end_room room TERM 0
}
it "the child process that proves a snapshot has the plugins of its room" proof_has_the_room_options

# A cache is misused to keep a value that no snapshot contains.
proof_names_difference() {
  new_world
  cat >town/systems/hidden.lua <<'END'
local hidden = shoal.cache(function() return { count = 0 } end)
return { update = function()
  hidden.count = hidden.count + 1
  world.single.score.gold = world.single.score.gold + hidden.count
end }
END
  start_room room --snapshots 1 --log info
  wait_until_open room
  wait_for 20 has_line room.err 'the proof of the snapshot after record [0-9]* has failed: tick [0-9]* differs in score' ||
    fail "$(cat room.err)"
  end_room room TERM 0
}
it "a proof names the component that a value outside the world changes" proof_names_difference
