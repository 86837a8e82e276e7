# Served worlds on PostgreSQL: a server that is killed, stopped or replaced by a standby, and invalid addresses. With
# --long, 50 kills of the server instead of 5, and 20 standbys that lack commits instead of none; POSTGRES_KILLS and
# POSTGRES_STANDBYS set their numbers.
# needs: release release/world_owner release/unit
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
. "$root/tests/scenarios/lib/postgres.sh"
cd "$tmp" || exit 1
rm -f address folder
owner_program=$(bin release world_owner)
kills=${POSTGRES_KILLS:-${LONG:+50}}
kills=${kills:-5}
standbys=${POSTGRES_STANDBYS:-${LONG:+20}}
standbys=${standbys:-0}

# needs_server: starts the suite's server if it does not run. The server ends with the suite.
needs_server() {
  postgres_find >missing || skip "$(cat missing)"
  [ -s address ] || make_server "$(mktemp -d /dev/shm/shoal_postgres_XXXXXX || mktemp -d)"
  address=$(cat address)
  server=$(cat folder)
}
make_server() {
  echo "$1" >folder
  postgres_start "$1" "$$" >address || fail "PostgreSQL cannot start"
}

# The groups skip tests that require a file of SQLite. Each group starts a separate server.
unit_tests() {
  postgres_find >missing || skip "$(cat missing)"
  (cd "$root" && SHOAL_TEST_POSTGRES=1 "$(bin release unit)" postgres world_store room_writer room_changes world_accounts \
    world_lookups code_rows chronicle_rows owned_rows question_reader) >unit.out 2>&1 ||
    fail "$(grep -a 'ERROR\|FAILED' unit.out | head -n 8)"
  grep -aq '^\[  PASSED  \] 1[0-9] test' unit.out || fail "no test ran: $(tail -n 3 unit.out)"
}
it "the unit tests of the store pass on PostgreSQL" unit_tests

make_game() {
  rm -rf town
  mkdir -p town/systems
  cat >town/game.lua <<'END'
return { title = "Town", id = "postgres_town", multiplayer = { players = { 1, 4 } },
  serve = { rooms = { town = { sleeps = false } } } }
END
  echo 'return { score = shoal.types.single { gold = 0 } }' >town/components.lua
  cat >town/systems/work.lua <<'END'
return { update = function()
  local score = world.single.score
  score.gold = score.gold + 1
  world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds = 1 } })
  if score.gold % 30 == 0 then print("works", score.gold) end
end }
END
}

empty_database() {
  needs_server
  postgres_sql "$server" 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' world >/dev/null || fail "cannot empty the database"
  make_game
}
new_world() { # new_world: creates a new world, and sets $owner to its owner
  empty_database
  owner=$("$owner_program" "$address") || fail "world_owner has failed"
}

# start_room NAME: starts the room `town` in the background, with its output in NAME.out, NAME.err and NAME.beats.
start_room() {
  name=$1
  forget "$name"
  : >"$name.beats"
  rm -f "$name.process"
  (
    code=0
    timeout -k 2 $limit_s sh -c 'echo $$ >"$0.process"; exec "$@"' "$name" "$release" run town --headless --no-watch \
      --room town --db "$address" --owner "$owner" --port 0 --fd 3 --hash every=1 \
      >"$name.out" 2>"$name.err" 3>"$name.beats" </dev/null || code=$?
    echo $code >"$name.status"
  ) >/dev/null 2>&1 &
  wait_for 5 test -s "$name.process"
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
has_acked() { [ "$(last_acked "$1")" -gt "$2" ]; }

# follows LATER EARLIER: the later process has recovered the acknowledged ticks of the earlier process, with equal
# hashes.
follows() {
  line=$(grep '^recovered: town tick ' "$1.out") || fail "$1 has not recovered: $(tail -n 3 "$1.err")"
  tick=$(echo "$line" | cut -d ' ' -f 4)
  hash=$(echo "$line" | cut -d ' ' -f 6)
  acked=$(last_acked "$2")
  [ "$tick" -ge "${acked:-0}" ] || fail "tick $acked was acknowledged, but tick $tick was recovered"
  [ "$tick" -eq 0 ] || grep -h "^tick $tick hash $hash\$" "$2.out" >/dev/null ||
    fail "$line, but before: $(grep -h "^tick $tick " "$2.out")"
  ! grep 'recovery differs' "$1.err" || fail "$(grep 'recovery differs' "$1.err")"
}

# survives_kills COUNT: every second kill of the server also kills the room's process, which otherwise continues.
survives_kills() {
  new_world
  room=0
  start_room room.0
  wait_until_open room.0
  for i in $(seq 1 "$1"); do
    wait_for_lines "room.$room.out" '^tick' $((i * 17 % 60 + 10)) # a different moment between two commits in each round
    postgres_kill "$server"
    [ $((i % 2)) = 0 ] || end_room "room.$room" KILL 137
    acked=$(last_acked "room.$room")
    wait_for 20 postgres_run "$server" 2>/dev/null || fail "PostgreSQL does not start: $(tail -n 3 "$server/log")"
    if [ $((i % 2)) = 1 ]; then
      room=$((room + 1))
      start_room "room.$room"
      wait_until_open "room.$room"
      follows "room.$room" "room.$((room - 1))"
    else
      wait_for 20 has_acked "room.$room" "$((acked + 20))" || fail "the room does not continue: $(tail -n 3 "room.$room.err")"
    fi
    echo "kill $i: tick $(last_acked "room.$room")" >>kills
  done
  end_room "room.$room" TERM 0
  start_room last
  wait_until_open last
  follows last "room.$room"
  end_room last TERM 0
}
it "a room loses no acknowledged tick in $kills kills of PostgreSQL" survives_kills "$kills"

pauses_during_cut() {
  new_world
  start_room room
  wait_until_open room
  wait_for 5 has_line room.out '^tick 60 '
  postgres_cut "$server"
  wait_for 10 has_line room.err 'room town pauses until the database answers' || { postgres_mend "$server"; fail "$(cat room.err)"; }
  postgres_mend "$server"
  wait_for 10 has_line room.err 'room town resumes' || fail "$(cat room.err)"
  tick=$(tail -n 1 room.out | cut -d ' ' -f 2)
  wait_for 5 has_line room.out "^tick $((tick + 30)) "
  end_room room KILL 137
  start_room again
  wait_until_open again
  follows again room
  end_room again TERM 0
}
it "a room pauses while PostgreSQL does not answer, resumes afterwards, and loses no acknowledged tick" pauses_during_cut

postgres_committed() { postgres_sql "$1" "SELECT tick FROM room WHERE name = 'town'" world; } # postgres_committed SERVER
postgres_has_committed() { [ "$(postgres_committed "$1")" -gt "$2" ]; }

# lacks_commits COUNT: a standby ends at least a second before the primary is killed, and then becomes the primary. The
# room exits with status 4, and its next process continues from the last tick of the standby.
lacks_commits() {
  new_world
  other=$(mktemp -d "$(dirname "$server")/shoal_postgres_XXXXXX")
  trap 'postgres_stop "$server"; postgres_stop "$other"; rm -rf "$server" "$other" address' EXIT
  address="postgres://shoal@/world?host=$server/socket,$other/socket"
  for i in $(seq 1 "$1"); do
    start_room "old.$i"
    wait_until_open "old.$i"
    postgres_standby "$server" "$other" >standby_address || fail "no standby: $(cat "$other/start")"
    copied=$(postgres_committed "$other")
    wait_for 20 postgres_has_committed "$other" "$copied" || fail "the standby receives no commits"
    postgres_stop "$other"
    stopped=$(postgres_committed "$server") # the latest beat may be older
    wait_for 10 has_acked "old.$i" "$((stopped + 30))" || fail "nothing was committed after the standby has ended"
    postgres_kill "$server"
    acked=$(last_acked "old.$i")
    postgres_run "$other" && postgres_promote "$other" || fail "the standby does not become the primary"
    wait_for 20 has_ended "old.$i" || fail "the room continues: $(tail -n 2 "old.$i.err")"
    [ "$(cat "old.$i.status")" = 4 ] || fail "exit status $(cat "old.$i.status"): $(tail -n 3 "old.$i.err")"
    has_line "old.$i.err" 'the database lacks commits of this process' || fail "$(tail -n 2 "old.$i.err")"
    start_room "new.$i"
    wait_until_open "new.$i"
    tick=$(sed -n 's/^recovered: town tick \([0-9]*\) .*/\1/p' "new.$i.out")
    hash=$(sed -n 's/^recovered: town .* hash //p' "new.$i.out")
    [ "$tick" -le "$((acked - 30))" ] || fail "the standby lacks less than a second: tick $tick of $acked"
    cat "new.$((i - 1)).out" "old.$i.out" 2>/dev/null | grep -q "^tick $tick hash $hash\$" || fail "tick $tick has a different hash"
    end_room "new.$i" KILL 137
    echo "standby $i: tick $tick of $acked" >>standbys
    rm -rf "$server"
    former=$server server=$other other=$former
  done
}
if [ "$standbys" -gt 0 ]; then
  it "a room continues from the last tick of a promoted standby that lacks commits ($standbys failovers)" lacks_commits "$standbys"
fi

port=$((20000 + $$ * 7 % 25000))
serve_town() {
  forget server
  "$release" serve town --db "$address" --port $port --take-over >server.out 2>server.err </dev/null &
  supervisor=$!
  trap 'kill $supervisor $player 2>/dev/null' EXIT
  wait_for 20 has_line server.out '^listening: ' || fail "$(cat server.err)"
}
end_serving() {
  kill $player $supervisor
  code=0
  wait $supervisor || code=$?
  [ $code = 0 ] || fail "exit status $code: $(tail -n 3 server.err)"
}
player=

# loses_start: a standby without the room's last start becomes the primary.
loses_start() {
  new_world
  other=$(mktemp -d "$(dirname "$server")/shoal_postgres_XXXXXX")
  trap 'postgres_stop "$server"; postgres_stop "$other"; rm -rf "$server" "$other" address' EXIT
  address="postgres://shoal@/world?host=$server/socket,$other/socket"
  start_room first
  wait_until_open first
  end_room first TERM 0
  postgres_standby "$server" "$other" >standby_address || fail "no standby: $(cat "$other/start")"
  postgres_stop "$other"
  sleep 1 # fences are times in seconds
  start_room lost
  wait_until_open lost
  fence=$(postgres_sql "$server" 'SELECT fence FROM room' world)
  end_room lost KILL 137
  postgres_kill "$server"
  postgres_run "$other" && postgres_promote "$other" || fail "the standby does not become the primary"
  [ "$(postgres_sql "$other" 'SELECT fence FROM room' world)" -lt "$fence" ] || fail "the standby has the start"
  sleep 1 # lets the time exceed the lost fence
  start_room next
  wait_until_open next
  next=$(postgres_sql "$other" 'SELECT fence FROM room' world)
  [ "$next" -gt "$fence" ] || fail "the fence $next follows the lost fence $fence"
  end_room next TERM 0
}
if [ "$standbys" -gt 0 ]; then
  it "a room that starts after a failover gets a later fence than a start that the standby lacks" loses_start
fi

serves_players() {
  empty_database
  forget player
  serve_town
  has_line server.out '^files: .*/postgres-world$' || fail "$(cat server.out)"
  "$release" run town --headless --no-watch --world "127.0.0.1:$port" >player.out 2>player.err </dev/null &
  player=$!
  wait_for 30 has_line player.out '^works' || fail "$(tail -n 3 player.err server.err)"
  postgres_kill "$server"
  works=$(grep -c '^works' player.out)
  wait_for 20 postgres_run "$server" 2>/dev/null || fail "PostgreSQL does not start"
  wait_for 20 plays_on $((works + 5)) || fail "the player does not play on: $(tail -n 3 player.err server.err)"
  ! has_line server.err 'crash\|restart in' || fail "$(cat server.err)"
  "$release" world "$address" status >status || fail "$(cat status)"
  has_line status '^town  *running  *1 ' || fail "$(cat status)"
  end_serving
}
plays_on() { [ "$(grep -c '^works' player.out)" -gt "$1" ]; }
it "players continue after PostgreSQL is killed and started again" serves_players

pause_of_world() { sed -n 's/^shoal_world_pause_seconds //p' "$(sed -n 's/^files: //p' server.out)"/*.prom; }
# Succeeds if the metrics differ from the copy in `metrics`.
has_written_metrics() { ! cmp -s metrics "$(sed -n 's/^files: //p' server.out)"/*.prom; }

# The supervisor's loop must not wait for the database: it notices immediately that a room was killed, even during the
# first statements of an outage, and while a player asks for a room. A pause may take at most 0.1 s on an idle machine.
watches_rooms_during_cut() {
  empty_database
  serve_town
  wait_for 30 has_line server.err 'room town: open' || fail "$(tail -n 3 server.err)"
  room=$(sed -n 's/^room town: starts (process \([0-9]*\)).*/\1/p' server.err)
  postgres_cut "$server"
  trap 'postgres_mend "$server"; kill $supervisor 2>/dev/null' EXIT
  sleep 1.1 # the loop reads the operators' commands every second
  kill -9 "$room"
  begin_ms=$(date +%s%3N)
  wait_for 20 has_line server.err 'room town: ended by SIGKILL' || fail "$(tail -n 3 server.err)"
  passed_ms=$(($(date +%s%3N) - begin_ms))
  echo "$passed_ms ms" >>noticed
  [ $passed_ms -lt 700 ] || fail "the kill was noticed after $passed_ms ms"
  wait_for 20 has_line server.err 'this process tries again every 2 s' || fail "no beat fails: $(tail -n 3 server.err)"
  cp "$(sed -n 's/^files: //p' server.out)"/*.prom metrics
  wait_for 30 has_written_metrics || fail "no metrics are written while PostgreSQL does not answer"
  awk -v pause="$(pause_of_world)" -v slow="$SLOW" 'BEGIN { exit pause > 0.1 * (slow > 100 ? slow / 50 : 1) }' ||
    fail "the loop of the world has paused for $(pause_of_world) s"
  postgres_mend "$server"
  trap 'kill $supervisor 2>/dev/null' EXIT
  wait_for 60 has_lines server.err 'room town: open' 2 || fail "the room does not start again: $(tail -n 5 server.err)"
  end_serving
}
it "the supervisor detects a killed room within 0.7 s while PostgreSQL does not answer" watches_rooms_during_cut

make_bags() {
  make_game
  rm town/systems/work.lua
  echo 'return { fire = { "key:f" } }' >town/input.lua
  echo 'return { wallet = { gold = 5 } }' >town/components.lua
  echo 'return { bag = { components = { transform = {}, wallet = {} } } }' >town/assemblages.lua
  cat >town/systems/bags.lua <<'END'
return {
  on = { player_joined = function(ev)
    for i = 1, ev.count do
      local count = 0
      for e in world.each "owned" do count = count + (e.owned.player == ev.player[i] and 1 or 0) end
      if count == 0 then world.spawn("bag", { owned = { player = ev.player[i] } }) end
    end
  end },
  update = function()
    if world.tick % 20 ~= 0 then return end
    for e in world.each { "owned", "wallet" } do print("owns", e.owned.item, e.wallet.gold) end
  end,
}
END
}
join_ann() {
  forget player
  "$release" run town --headless --no-watch --name ann --world "127.0.0.1:$port" >player.out 2>player.err </dev/null &
  player=$!
  wait_for 30 has_line player.out '^owns' || fail "$(tail -n 3 player.err server.err)"
}
is_away() { [ "$(postgres_sql "$server" 'SELECT count(*) FROM account WHERE room IS NULL' world)" = 1 ]; }
leave_ann() {
  kill $player
  wait $player || true
  wait_for 90 is_away || fail "ann does not leave: $(tail -n 3 server.err)"
}

takes_and_gives() {
  empty_database
  make_bags
  serve_town
  join_ann
  run_for 20 "$release" world "$address" take ann
  exits 1
  says err 'ann is in the room town: use kick first'
  leave_ann
  "$release" world "$address" take ann >ann.json 2>err || fail "$(cat err)"
  grep -q '"gold": 5' ann.json || fail "$(cat ann.json)"
  sed 's/"gold": 5/"gold": 70/' ann.json >edited.json
  sed 's/"wallet"/"walet"/' ann.json >bad.json
  run_for 60 "$release" world "$address" give ann bad.json
  exits 1
  says err 'walet'
  run_for 60 "$release" world "$address" give ann edited.json
  exits 0
  says out ': 0 added, 1 changed, 0 removed'
  [ "$(postgres_sql "$server" 'SELECT gold FROM owned_wallet' world)" = 70 ] || fail "$(postgres_sql "$server" 'SELECT * FROM owned' world)"
  run_for 20 "$release" world "$address" give ann edited.json
  exits 1
  says err 'ann is not taken: use take first'
  join_ann
  wait_for 20 has_line player.out '^owns.*	70$' || fail "$(tail -n 3 player.out player.err)"
  leave_ann
  "$release" world "$address" take ann >ann.json 2>err || fail "$(cat err)"
  run_for 20 "$release" world "$address" release ann
  exits 0
  is_away || fail "the account was not released"
  player=
  end_serving
}
it "take prints what an account owns, and give stores the edited list" takes_and_gives

# The game's strings contain a NUL character, which PostgreSQL cannot store.
make_market() {
  make_game
  cat >town/game.lua <<'END'
return { title = "Town", id = "postgres_town", multiplayer = { players = { 1, 4 } },
  serve = { rooms = { town = { sleeps = false } } }, chronicle = { trade = "90 days" } }
END
  echo 'return { trade = { n = shoal.types.i32(0), good = "", fair = false } }' >town/events.lua
  cat >town/systems/trade.lua <<'END'
return {
  on = { answered = function(ev)
    for i = 1, ev.count do
      local rows, problem = chronicle.rows(ev.question[i])
      print("answered", rows and json.encode(rows) or problem)
      ev.question[i]:destroy()
    end
  end },
  update = function()
    local n = world.single.score.gold
    world.emit("trade", { n = n, good = "sword\0", fair = n % 2 == 0 })
    if n == 90 then
      chronicle.ask("SELECT min(n) AS first, typeof(n) AS type FROM chronicle_trade WHERE fair = $1 AND good LIKE $2", true, "SW%")
      chronicle.ask("SELECT pg_sleep(10) AS a")
      chronicle.ask("SELECT rolname FROM pg_catalog.pg_roles")
      chronicle.ask("SELECT digest FROM main.account")
      chronicle.ask("WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i) SELECT count(*) AS n FROM i")
      chronicle.ask("SELECT 7 AS last")
    end
  end,
}
END
}

questions() {
  empty_database
  make_market
  serve_town
  wait_for 40 has_line server.out '^town: answered.*"last":7' || fail "$(cat server.out server.err)"
  for text in '\[{"first":0,"type":"integer"}\]' 'systems/trade.lua:14: chronicle.ask: no such function: pg_sleep' \
    'systems/trade.lua:15: chronicle.ask: no such table: pg_catalog.pg_roles' \
    'systems/trade.lua:16: chronicle.ask: .* can read only the views chronicle_EVENT and account' \
    'systems/trade.lua:17: chronicle.ask: the query takes longer than 1000 ms'; do
    grep -q "^town: answered	$text" server.out || fail "$text: $(cat server.out)"
  done
  [ "$(postgres_sql "$server" "SELECT good FROM chronicle_trade WHERE n = 3" world)" = "$(printf 'sword\357\277\275')" ] ||
    fail "$(postgres_sql "$server" 'SELECT * FROM chronicle_trade LIMIT 3' world)"
  "$release" world "$address" ask 'SELECT gold > 90 AS enough FROM score' >answer 2>&1 || fail "$(cat answer)"
  grep -q '^ *1$' answer || fail "$(cat answer)"
  end_serving
}
it "a world on PostgreSQL answers chronicle questions and operators' queries, and refuses forbidden SQL" questions

backs_up() {
  empty_database
  make_market
  serve_town
  wait_for 30 has_line server.out '^town: works.*60' || fail "$(tail -n 3 server.err)"
  rm -f ./*.dump
  "$release" world "$address" backup world.dump >out 2>err || fail "$(cat out err)"
  says out 'world.dump: written; also back up '
  key=$(sed -n 's/.*also back up \(.*\): without it.*/\1/p' out)
  [ -s "$key" ] || fail "the file of the key is not named: $(cat out)"
  run_for 10 "$release" world "$address" backup world.dump
  says err 'world.dump exists: name a new file'
  status=0
  env PATH=/nowhere "$release" world "$address" backup other.dump >out 2>err || status=$?
  [ $status != 0 ] || fail "a backup without pg_dump: $(cat out)"
  says err 'pg_dump writes backups, but is not installed'
  run_for 10 "$release" world "$address" backup missing/other.dump
  [ "$status" != 0 ] || fail "a backup into a missing folder: $(cat out)"
  says err 'pg_dump has failed (exit status 1)'
  [ ! -e other.dump ] || fail "a failed backup has left a file"
  "$release" world "$address" log >out 2>&1 || fail "$(cat out)"
  says out 'backup'
  end_serving
  postgres_sql "$server" 'CREATE DATABASE copy' >/dev/null
  "$postgres_programs/pg_restore" --exit-on-error -h "$server/socket" -U shoal --no-owner --dbname copy world.dump >out 2>&1 ||
    fail "$(cat out)"
  former=$address
  address=$(postgres_address "$server" copy)
  serve_town
  wait_for 30 has_line server.out '^recovered: town tick ' || fail "$(tail -n 3 server.err)"
  tick=$(sed -n 's/^recovered: town tick \([0-9]*\) .*/\1/p' server.out)
  [ "$tick" -ge 30 ] || fail "only tick $tick was recovered"
  wait_for 20 has_line server.out '^town: works' || fail "$(tail -n 3 server.err)"
  [ "$(postgres_sql "$server" 'SELECT count(*) >= 30 AND min(n) = 0 FROM chronicle_trade' copy)" = t ] || fail "rows of the chronicle are missing"
  end_serving
  address=$former
}
it "a backup of a running world can be restored and served" backs_up

# A commit waits for a standby that does not exist. The server is killed after it has stored the commit, but before it
# has confirmed the commit, so the room sends the commit again.
restarts_during_commit() {
  new_world
  start_room room
  wait_until_open room
  wait_for 10 has_acked room 30
  postgres_sql "$server" "ALTER SYSTEM SET synchronous_standby_names = 'missing'" >/dev/null
  postgres_sql "$server" 'SELECT pg_reload_conf()' >/dev/null
  wait_for 10 has_line room.err 'room town pauses until the database answers' || fail "$(tail -n 3 room.err)"
  acked=$(last_acked room)
  [ "$(postgres_sql "$server" "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" world)" = 1 ] ||
    fail "no commit waits"
  postgres_kill "$server"
  : >"$server/data/postgresql.auto.conf"
  wait_for 20 postgres_run "$server" 2>/dev/null || fail "PostgreSQL does not start: $(tail -n 3 "$server/log")"
  stored=$(postgres_sql "$server" 'SELECT tick FROM room' world)
  [ "$stored" -gt "$acked" ] || fail "the server has not stored the waiting commit: tick $stored, acknowledged $acked"
  wait_for 20 has_line room.err 'room town resumes' || fail "$(tail -n 3 room.err)"
  wait_for 20 has_acked room "$((stored + 60))" || fail "the room does not continue: $(tail -n 3 room.err)"
  end_room room KILL 137
  start_room again
  wait_until_open again
  follows again room
  end_room again TERM 0
}
it "a commit that PostgreSQL has stored but not confirmed when it is killed is not stored twice" restarts_during_commit

# The tables are in a small file system in memory, which a file fills.
fills_disk() {
  needs_server
  [ "$(id -u)" = 0 ] || skip "only root can create a small disk"
  mkdir -p "$server/disk"
  mount -t tmpfs -o size=24m,mode=755 shoal_test "$server/disk" 2>/dev/null || skip "this machine permits no small disk"
  trap 'umount -l "$server/disk"' EXIT
  mkdir "$server/disk/tables"
  chown postgres "$server/disk/tables"
  for sql in 'DROP DATABASE IF EXISTS small' 'DROP TABLESPACE IF EXISTS small' \
    "CREATE TABLESPACE small LOCATION '$server/disk/tables'" 'CREATE DATABASE small TABLESPACE small'; do
    postgres_sql "$server" "$sql" >/dev/null || fail "$sql"
  done
  make_game
  address=$(postgres_address "$server" small)
  owner=$("$owner_program" "$address") || fail "world_owner has failed"
  start_room room
  wait_until_open room
  wait_for 10 has_acked room 30
  dd if=/dev/zero of="$server/disk/filler" bs=64k 2>/dev/null || true
  wait_for 40 has_line room.err 'room town pauses .*free space on the disk of the server' || fail "$(tail -n 3 room.err)"
  rm "$server/disk/filler"
  wait_for 20 has_line room.err 'room town resumes' || fail "$(tail -n 3 room.err)"
  acked=$(last_acked room)
  wait_for 20 has_acked room "$((acked + 30))" || fail "the room does not continue: $(tail -n 3 room.err)"
  end_room room KILL 137
  start_room again
  wait_until_open again
  follows again room
  end_room again TERM 0
  postgres_sql "$server" 'DROP DATABASE small' >/dev/null
  postgres_sql "$server" 'DROP TABLESPACE small' >/dev/null
}
it "a room pauses while the disk of PostgreSQL is full, and loses no acknowledged tick" fills_disk

# refuses ADDRESS TEXT: the supervisor must refuse the database with TEXT.
refuses() {
  run_for 10 "$release" serve town --db "$1" --port $port
  [ "$status" != 0 ] || fail "it was accepted: $1"
  says err "$2"
}
needs_password() { ! PGPASSWORD=wrong "$postgres_programs/psql" -X -h "$server/socket" -U locked -c '' world >/dev/null 2>&1; }
refuses_addresses() {
  new_world
  host="host=$server/socket"
  refuses "postgres://shoal@127.0.0.1:1/world" 'check the address'
  refuses "postgres://shoal@/world?host=$server" 'check the address'
  refuses "postgres://shoal@/missing?$host" 'create the database: createdb'
  refuses "postgres://nobody@/world?$host" 'role "nobody" does not exist'
  refuses "postgres://shoal@/world?wrong=1&$host" 'the address must be postgres://user@host/database'
  postgres_sql "$server" "CREATE ROLE guest LOGIN; ALTER ROLE guest SET default_transaction_read_only = on" >/dev/null
  refuses "postgres://guest:secret@/world?$host" 'connect to the primary'
  ! grep -q secret err || fail "the password was printed: $(cat err)"
  postgres_sql "$server" "CREATE ROLE locked LOGIN PASSWORD 'right'" >/dev/null
  sed -i '1i local all locked scram-sha-256' "$server/data/pg_hba.conf"
  postgres_sql "$server" 'SELECT pg_reload_conf()' >/dev/null
  wait_for 5 needs_password
  refuses "postgres://locked:wrong@/world?$host" 'set the right password in ~/.pgpass'
  ! grep -q wrong err || fail "the password was printed: $(cat err)"
  refuses "postgres://locked@/world?$host" 'set the right password in ~/.pgpass'
  refuses "postgres://locked:right@/world?$host" 'make the user of this connection the owner'
  postgres_sql "$server" "ALTER ROLE guest RESET ALL" >/dev/null
  refuses "postgres://guest@/world?$host" 'make the user of this connection the owner'
  postgres_sql "$server" "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'" >/dev/null
  refuses "postgres://shoal@/latin?$host" "create it with ENCODING 'UTF8'"
  refuses "$address" 'the game test, not of postgres_town'
  "$owner_program" "$address" 'UPDATE world SET version = 99' 0 || fail "the version cannot be changed"
  refuses "$address" 'use a newer version'
  postgres_sql "$server" 'UPDATE world SET version = 1' world >/dev/null
  refuses "$address" 'use an older version'
  postgres_sql "$server" 'DROP TABLE world' world >/dev/null
  refuses "$address" 'not the database of a served world'
}
it "databases that cannot be used are refused with the reason and the fix" refuses_addresses
