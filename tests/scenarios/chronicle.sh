# The chronicle of a served world in real processes: events that a game keeps, and questions of its scripts.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/match.sh"
cd "$tmp" || exit 1

# make_game: makes a game that emits one trade per tick, with the tick's number. Its lib/ask.lua asks the questions.
make_game() {
  rm -rf village
  mkdir -p village/systems village/lib
  cat >village/game.lua <<'END'
return { title = "Village", id = "chronicle_village", multiplayer = { players = { 1, 4 } },
  serve = { rooms = { town = { sleeps = false } } },
  chronicle = { trade = "90 days", player_joined = "forever", spark = "1 hour" } }
END
  cat >village/events.lua <<'END'
local t = shoal.types
return { trade = { player = t.i32(0), n = t.i32(0), good = "", fair = false, pos = t.vec2(0, 0) },
  spark = { text = "" }, unkept = { n = 0 } }
END
  echo 'return { tally = shoal.types.single { n = shoal.types.i32(0) } }' >village/components.lua
  cat >village/systems/trade.lua <<'END'
local ask = require("lib.ask")
return {
  on = { answered = function(ev)
    for i = 1, ev.count do
      local rows, problem = chronicle.rows(ev.question[i])
      print("answered", world.single.tally.n, rows and json.encode(rows) or problem, ev.question[i].question.cut)
      ev.question[i]:destroy()
    end
  end },
  update = function()
    local count = world.single.tally
    count.n = count.n + 1
    world.emit("trade", { player = 1, n = count.n, good = "sword", fair = true, pos = { 3, -4 } })
    world.emit("unkept", { n = count.n })
    ask(count.n)
  end,
}
END
  echo 'return function() end' >village/lib/ask.lua
}

port=$((20000 + ($$ * 7 + 3000) % 25000))
serve() {
  forget server
  "$release" serve village --db "$tmp/world/world.db" --port $port "$@" >server.out 2>server.err </dev/null &
  server=$!
  echo $server >servers
  wait_for 30 has_line server.err 'room town: open' || fail "$(cat server.err)"
}
stop_all() {
  # shellcheck disable=SC2046
  kill $(cat servers ./*.process 2>/dev/null) 2>/dev/null
  rm -f servers ./*.process
  wait
}
new_world() { # new_world [TEXT]: serves a new world whose lib/ask.lua is TEXT
  trap stop_all EXIT
  rm -rf world
  mkdir world
  make_game
  [ -z "${1:-}" ] || echo "$1" >village/lib/ask.lua
  serve
}
end_world() {
  kill "$server"
  code=0
  wait "$server" || code=$?
  [ $code = 0 ] || fail "the server has ended with status $code: $(tail -n 5 server.err)"
}
sql() { sqlite3 -cmd '.timeout 10000' world/world.db "$1" | tail -n 1; }
room_process() { sed -n 's/^room town: starts (process \([0-9]*\)).*/\1/p' server.err | tail -n 1; }
starts() { grep -c '^room town: starts' server.err; }
has_started() { [ "$(starts)" -ge "$1" ] && [ "$(grep -c '^room town: open' server.err)" -ge "$1" ]; }
has_rows() { [ "$(sql "SELECT count(*) >= $1 FROM chronicle WHERE event = 'trade'")" = 1 ]; }

# Fails unless each committed tick has exactly one trade, and the numbers of the trades are consecutive.
check_rows() {
  line=$(sql "SELECT (SELECT tick FROM room) || ' ' || count(*) || ' ' || count(DISTINCT n) || ' ' || min(n) || ' ' ||
    max(n) || ' ' || max(tick) FROM chronicle_trade")
  # shellcheck disable=SC2086
  set -- $line
  [ "$1 $1 $1 1 $1 $1" = "$line" ] || fail "tick, rows, distinct, first, last, last tick: $line"
}

keeps_events() {
  new_world
  forget a
  "$release" run village --headless --no-watch --world 127.0.0.1:$port >a.out 2>a.err </dev/null &
  echo $! >a.process
  wait_for 20 has_line server.err 'player 1 joined' || fail "$(tail -n 3 a.err server.err)"
  wait_for 20 has_rows 100 || fail "$(sql 'SELECT count(*) FROM chronicle')"
  check_rows
  row=$(sql "SELECT room, player, n, good, fair, pos_x, pos_y, at > 1000000000, typeof(n), typeof(pos_x)
    FROM chronicle_trade WHERE n = 7")
  [ "$row" = 'town|1|7|sword|1|3.0|-4.0|1|integer|real' ] || fail "row: $row"
  account=$(sql 'SELECT min(id) FROM account')
  [ "$(sql "SELECT player || ' ' || account FROM chronicle_player_joined")" = "1 $account" ] ||
    fail "account $account: $(sql 'SELECT player, account FROM chronicle_player_joined')"
  [ "$(sql 'SELECT player FROM chronicle_player_joined')" = 1 ] || fail "no row of the player"
  [ "$(sql "SELECT count(*) FROM chronicle WHERE event = 'unkept'")" = 0 ] || fail "an event is kept without need"
  [ "$(sql "SELECT DISTINCT expires - at FROM chronicle WHERE event = 'trade'")" = 7776000 ] || fail "wrong expiry"
  [ -z "$(sql "SELECT expires FROM chronicle WHERE event = 'player_joined'")" ] || fail "an event expires"
  kill "$(cat a.process)"
  wait "$(cat a.process)" 2>/dev/null
  rm -f a.process
  end_world
  check_rows
}
it "each kept event is a row of the chronicle, and its view has columns of the fields' types" keeps_events

survives_kills() {
  new_world 'return function() print("tick") end'
  for i in 1 2 3 4 5 6; do
    wait_for_lines server.out '^town: tick' $((i * 13 % 50 + 5)) # a different moment between two commits in each round
    kill -9 "$(room_process)"
    wait_for 40 has_started $((i + 1)) || fail "$(tail -n 5 server.err)"
    check_rows
  done
  wait_for 20 has_rows "$(($(sql 'SELECT tick FROM room') + 30))" || fail "the room does not run"
  end_world
  check_rows
}
it "no kept event is lost or duplicated when a room is killed six times" survives_kills

answers() {
  # shellcheck disable=SC2016
  new_world 'return function(n)
    if n == 60 then
      chronicle.ask("SELECT min(n) AS first, max(n) >= 60 AS recent, good FROM chronicle_trade WHERE good = $1 AND fair = $2",
        "sword", true)
      chronicle.ask("SELECT count(*) AS n FROM account")
      chronicle.ask("WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i LIMIT 500) SELECT k FROM i")
    end
  end'
  forget a
  "$release" run village --headless --no-watch --world 127.0.0.1:$port >a.out 2>a.err </dev/null &
  echo $! >a.process
  wait_for 20 has_line server.out '^town: answered.*{"n":' || fail "$(tail -n 3 server.err)"
  wait_for 20 grep -q '^town: answered.*"k":100}.*true$' server.out || fail "$(cat server.out)"
  grep -q '^town: answered	[0-9]*	\[{"first":1,"good":"sword","recent":1}\]	false$' server.out || fail "$(cat server.out)"
  wait_for 20 has_line server.err 'player 1 joined' || fail "$(tail -n 3 a.err server.err)"
  committed=$(committed_tick world/world.db town)
  wait_for 10 has_committed world/world.db town $((committed + 60)) || fail "the room commits nothing"
  ! grep -q desync a.err server.err || fail "$(cat a.err)"
  kill "$(cat a.process)"
  wait "$(cat a.process)" 2>/dev/null
  rm -f a.process
  end_world
}
it "a chronicle question is answered after its tick is committed, with at most 100 rows" answers

wrong_questions() {
  new_world 'return function(n)
    if n ~= 10 then return end
    chronicle.ask("SELECT gld FROM chronicle_trade")
    chronicle.ask("SELECT digest FROM main.account")
    chronicle.ask("DELETE FROM chronicle")
    chronicle.ask("PRAGMA query_only = OFF")
    chronicle.ask("SELECT $1 AS a")
    chronicle.ask("WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i) SELECT count(*) AS n FROM i")
    local good, problem = pcall(chronicle.ask, "SELECT $1 AS a", {})
    print("refused", problem)
    chronicle.ask("SELECT 7 AS last")
  end'
  wait_for 30 has_line server.out '^town: answered.*"last":7' || fail "$(cat server.out)"
  for text in '3: chronicle.ask: no such column: gld' \
    '4: chronicle.ask: .* can read only the views chronicle_EVENT and account' \
    '5: chronicle.ask: .* can read only the views chronicle_EVENT and account' \
    '6: chronicle.ask: .* can read only the views' '7: chronicle.ask: the query uses $1, but chronicle.ask has 0 parameters' \
    '8: chronicle.ask: the query takes longer than 1000 ms'; do
    grep -q "^town: answered	[0-9]*	lib/ask.lua:$text" server.out || fail "$text: $(cat server.out)"
    grep -q "^town: warn: lib/ask.lua:$text" server.err || fail "$text: $(cat server.err)"
  done
  has_line server.out '^town: refused.*parameter 1 must be a number, a string or a boolean, got a table' || fail "$(cat server.out)"
  check_rows
  end_world
}
it "an invalid chronicle question is answered with the problem and the file and line of the call" wrong_questions

open_at_crash() {
  new_world 'return function(n)
    if n == 30 then
      print("asked")
      chronicle.ask("WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i) SELECT count(*) AS n FROM i")
    end
  end'
  wait_for 20 has_rows 31 || fail "$(tail -n 3 server.err)"
  ! grep -q '^town: answered' server.out || fail "the question was answered before the kill"
  kill -9 "$(room_process)"
  wait_for 40 has_started 2 || fail "$(tail -n 5 server.err)"
  wait_for 20 has_line server.out '^town: answered.*takes longer than 1000 ms' || fail "$(cat server.out server.err)"
  committed=$(committed_tick world/world.db town)
  wait_for 20 has_committed world/world.db town $((committed + 120)) || fail "the room commits nothing"
  [ "$(grep -c '^town: answered' server.out)" = 1 ] || fail "answered twice: $(cat server.out)"
  end_world
}
it "a chronicle question without an answer at a crash is repeated after the recovery" open_at_crash

expires() {
  new_world 'return function(n)
    if n == 5 then for i = 1, 10 do world.emit("spark", { text = "s" .. i }) end end
  end'
  wait_for 20 has_rows 20 || fail "$(tail -n 3 server.err)"
  end_world
  [ "$(sql 'SELECT count(*) FROM chronicle_spark')" = 10 ] || fail "$(sql 'SELECT count(*) FROM chronicle_spark')"
  sql "UPDATE chronicle SET expires = at - 1 WHERE event = 'spark' AND ordinal < 7" >/dev/null
  sql "UPDATE chronicle SET expires = expires + 5 WHERE event = 'player_joined'" >/dev/null
  left=$(sql "SELECT count(*) FROM chronicle WHERE expires > strftime('%s', 'now') OR expires IS NULL")
  serve
  wait_for 20 has_less_sparks || fail "$(sql 'SELECT count(*) FROM chronicle_spark')"
  [ "$(sql 'SELECT count(*) FROM chronicle')" -ge "$left" ] || fail "rows were removed that have not expired"
  end_world
}
has_less_sparks() { [ "$(sql "SELECT count(*) FROM chronicle_spark")" = 3 ]; }
it "the chronicle removes expired events, but no unexpired events" expires

too_many() {
  new_world 'return function(n)
    if n == 5 then for i = 1, 300 do world.emit("spark", { text = "s" .. i }) end end
    if n == 20 then world.emit("spark", { text = ("x"):rep(2000) }) end
  end'
  wait_for 20 has_rows 40 || fail "$(tail -n 3 server.err)"
  wait_for 5 grep -q '^town: error: room town: the chronicle has dropped 44 events spark since tick' server.err ||
    fail "$(cat server.err)"
  [ "$(sql 'SELECT count(*) FROM chronicle WHERE tick = (SELECT tick FROM chronicle_spark LIMIT 1)')" = 256 ] ||
    fail "$(sql 'SELECT tick, count(*) FROM chronicle GROUP BY 1 ORDER BY 2 DESC LIMIT 1')"
  wait_for 5 grep -q '^town: error: room town: the chronicle has dropped 1 events spark since tick' server.err ||
    fail "$(cat server.err)"
  end_world
}
it "kept events beyond 256 per tick, and events with more than 1 KB of fields, are dropped with an error" too_many

offline() {
  make_game
  # shellcheck disable=SC2016
  echo 'return function(n) if n == 3 then chronicle.ask("SELECT count(*) AS n FROM chronicle_trade") end end' \
    >village/lib/ask.lua
  run_for 20 "$release" run village --headless --no-watch --ticks 10
  exits 0
  says out "lib/ask.lua:1: chronicle.ask: the game does not run in a room of a served world"
  [ "$(grep -c '^answered' out)" = 1 ] || fail "$(cat out)"
}
it "outside a served world, a chronicle question is answered with an error that gives the reason" offline

wrong_settings() {
  make_game
  for change in 'trade = "90 days"/trad = "90 days"/unknown event trad: did you mean trade?' \
    'trade = "90 days"/trade = "90 dys"/chronicle.trade must be a duration' \
    'trade = "90 days"/trade = 90/chronicle.trade must be a duration' \
    'trade = "90 days"/trade = "0 days"/chronicle.trade must be a duration' \
    'trade = "90 days"/"trade"/must be a table of events and durations'; do
    from=${change%%/*} rest=${change#*/}
    make_game
    sed -i "s/$from/${rest%%/*}/" village/game.lua
    run_for 20 "$release" run village --headless --no-watch --ticks 1
    exits 1
    says err "game.lua:3: "
    says err "${rest#*/}"
  done
  make_game
  sed -i 's/  serve = .*//' village/game.lua
  run_for 20 "$release" run village --headless --no-watch --ticks 1
  exits 1
  says err 'game.lua:3: chronicle requires a served world'
  make_game
  sed -i 's/n = 0/at = 0/' village/events.lua
  sed -i 's/spark = "1 hour"/unkept = "1 hour"/' village/game.lua
  run_for 20 "$release" run village --headless --no-watch --ticks 1
  exits 1
  says err 'the field at of the event unkept cannot be kept'
}
it "invalid durations and unknown events in game.lua's table chronicle are errors with their line" wrong_settings
