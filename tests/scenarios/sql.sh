# SQL on a running game: from the command line, from --exec, and as a watch.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
mkdir -p bees/systems
cat >bees/game.lua <<'END'
return { title = "bees", start = function()
  for i = 1, 5 do world.spawn("bee", { health = { hp = i * 10 } }) end
end }
END
echo 'return { health = { hp = shoal.types.i32(1) } }' >bees/components.lua
echo 'return { bee = { components = { health = {} } } }' >bees/assemblages.lua
echo 'return { each = function(e) e.health.hp = e.health.hp - 1 end, query = { "health" } }' >bees/systems/hunger.lua

queries_start() {
  run_for 20 "$release" sql bees/ "SELECT entity, hp FROM health WHERE hp > 30"
  exits 0
  [ "$(cat out)" = "$(printf 'entity  hp\n------  --\n     4  40\n     5  50')" ] || fail "output: $(cat out)"
}
it "./shoal sql queries a game at its start" queries_start

without_slash() {
  run_for 20 "$release" sql bees "SELECT count(*) AS n FROM health"
  exits 0 out 5
}
it "./shoal sql accepts a game folder without a trailing slash" without_slash

queries_later() {
  run_for 20 "$release" sql bees/ "SELECT min(hp) AS least, max(hp) AS most FROM health" --ticks 7
  exits 0 out "    3    43"
}
it "./shoal sql --ticks queries a game after the given number of ticks" queries_later

installed_game() {
  run_for 20 "$release" sql asteroids "SELECT count(*) AS n FROM entities WHERE assemblage = 'rock_face'" --ticks 2
  exits 0
  [ "$(cat out)" = "$(printf 'n\n-\n8')" ] || fail "expected 8 rocks with a face, got: $(cat out)"
}
it "./shoal sql finds an installed game by name" installed_game

reads_own_writes() {
  run_for 20 "$release" sql bees/ "DELETE FROM entities WHERE entity > 2; UPDATE health SET hp = hp + 1;
    INSERT INTO entities(assemblage) VALUES ('bee'); SELECT sum(hp) AS hp FROM health"
  exits 0 out "33"
}
it "./shoal sql runs several statements, and later statements read earlier writes" reads_own_writes

sql_refused() { # sql_refused "MESSAGE" SQL: the statement must fail with this message
  run_for 20 "$release" sql bees/ "$2"
  exits 2
  expect_one_line err
  says err "$1"
}
it "the error for an unknown table names the table" sql_refused "no such table: honey" "SELECT * FROM honey"
it "the error for an unknown table suggests a table" \
  sql_refused "no such table: main.healt (SELECT table_name FROM components lists the component tables): did you mean health?" "SELECT * FROM main.healt"
it "the error for an unknown column of INSERT suggests a column" \
  sql_refused "table health has no column named hpp: did you mean hp?" "INSERT INTO health (entity, hpp) VALUES (1, 2)"
suggestions_in_saves() {
  run_for 20 "$release" run bees --headless --ticks 1 --save bees.save
  exits 0
  for item in "SELECT * FROM healt:no such table: healt (SELECT table_name FROM components lists the component tables): did you mean health?" \
    "SELECT hpp FROM health:no such column: hpp: did you mean hp?"; do
    run_for 20 "$release" sql bees.save "${item%%:*}"
    exits 2 err "${item#*:}"
  done
}
it "errors about unknown tables and columns of a save suggest names" suggestions_in_saves
it "the error for a value of the wrong type names table and column" \
  sql_refused "health.hp must be an integer, got 'much'" "UPDATE health SET hp = 'much'"

mkdir -p lists
cat >lists/game.lua <<'END'
return { title = "lists", start = function()
  world.spawn(nil, { bag = { items = { 5, 6 }, dice = { 6 } } })
  world.spawn(nil, { bag = {} })
end }
END
cat >lists/components.lua <<'END'
local t = shoal.types
return {
  bag = { items = t.list(t.u32, 4), dice = t.list(t.i8(1, { min = 1, max = 6 }), 3), near = t.list(t.entity, 2),
    deep = { names = t.list(t.string, 2), kinds = t.list(t.enum { "a", "b" }, 2), sizes = t.list(t.f32(0, { nan = true }), 2),
    flags = t.list(t.bool, 2) } },
  shelf = t.single { items = t.list(t.u32, 4, { 3 }) },
}
END
echo 'local t = shoal.types return { packed = { items = t.list(t.u32, 2) } }' >lists/events.lua

writes_lists() {
  run_for 20 "$release" sql lists/ "UPDATE bag SET items = '[1, 2,3]', near = json_array(entity, 0), dice = '[0, 9]'
    WHERE entity = 1; UPDATE bag SET items = json_insert(items, '\$[#]', 4), deep_names = '[\"x\"]', deep_kinds = '[\"b\"]',
    deep_sizes = '[0.1, \"nan\"]', deep_flags = '[true, 0]' WHERE entity = 1; UPDATE shelf SET items = '[]';
    INSERT INTO packed(items) VALUES ('[7]'); INSERT OR REPLACE INTO bag(entity, items) VALUES (2, '[8]');
    SELECT b.*, s.items AS s, p.items AS p, c.items AS c FROM bag AS b, shelf AS s, packed AS p, bag AS c
    WHERE b.entity = 1 AND c.entity = 2"
  exits 0
  for value in '[1,2,3,4]' '[1,6]' '[1,0]' '["x"]' '["b"]' '[0.1,"nan"]' '[true,false]' '[]' '[7]' '[8]'; do
    says out "$value"
  done
  run_for 20 "$release" sql lists/ "SELECT sum(value) AS total FROM bag, json_each(bag.items)"
  exits 0 out "   11"
}
it "SQL reads and writes a list as JSON text" writes_lists

list_refused() { # list_refused "MESSAGE" VALUES: setting bag.items to this text must fail with this message
  run_for 20 "$release" sql lists/ "UPDATE bag SET items = '$2'"
  exits 2
  expect_one_line err
  says err "$1"
}
it "invalid JSON text for a list is an error" list_refused "bag.items must be a list as JSON text" "[1"
it "a JSON object instead of a list is an error" list_refused "bag.items must be a list as JSON text" "{}"
it "a value of the wrong type in a list is an error" list_refused "bag.items[2] must be a number, got true" "[1, true]"
it "a number in a list that does not fit the element type is an error" \
  list_refused "bag.items[1] must be an integer from 0 to 4294967295, got -1" "[-1]"
it "too many values for a list are an error" list_refused "too many values for bag.items: 5 (at most 4)" "[1,2,3,4,5]"
it "an empty statement is an error" sql_refused "no statement" "/* nothing */"

missing_statement() {
  run_for 20 "$release" sql bees/
  exits 2
  expect_one_line err
  says err 'sql GAME'
}
it "./shoal sql without a statement is an error" missing_statement

writes_from_exec() {
  run_for 20 "$release" run bees --headless --ticks 1 \
    --exec 'local rows, changed = world.sql("UPDATE health SET hp = 5 WHERE hp > ?", 25) return #rows, changed' \
    --exec 'return world.sql("SELECT sum(hp) AS n FROM health")[1].n' --exec 'world.sql("DELETE FROM honey")'
  exits 1 out "0	3" "45"
  says err "no such table: honey"
}
it "world.sql can write in a chunk of --exec" writes_from_exec

start_is_read_only() {
  cp -R bees writers
  echo 'return { title = "w", start = function() world.sql("DELETE FROM entities") end }' >writers/game.lua
  run_for 20 "$release" run writers --headless --ticks 1 --exec 'return 1'
  exits 1 err "may only read"
}
it "world.sql is read-only in a game's start function" start_is_read_only

# terminates_on_sigterm ARGUMENT…: the program prints "begun" and receives SIGTERM while it executes SQL.
terminates_on_sigterm() {
  launch "$release" "$@"
  trap stop_program EXIT
  expect_log begun
  expect_cpu_use "$program" 10
  expect_prompt_exit
}
endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
slow="SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
  SELECT max(replace(printf('%.*c', 200000, 'a'), 'a', 'b') || i) FROM n)"
interrupted() {
  terminates_on_sigterm run bees --headless --ticks 1 --budget 0 --exec "print('begun') world.sql([[$endless]])"
  terminates_on_sigterm run bees --headless --ticks 1 --budget 0 --exec "print('begun') world.sql([[$slow]])"
  rm -rf migrating
  cp -R bees migrating
  mkdir -p migrating/migrations
  run_for 20 "$release" run migrating --headless --ticks 1 --save "$tmp/migrating.sqlite"
  exits 0
  echo "print('begun') world.sql([[$endless]])" >migrating/migrations/1.lua
  terminates_on_sigterm run migrating --headless --ticks 1 --budget 0 --load "$tmp/migrating.sqlite"
}
it "SIGTERM terminates the program during an SQL statement of --exec or of a migration" interrupted

# A statement's limit counts steps, not time, so the statement stops at the same step even if the process is suspended.
step_limit() {
  cp -R bees limits
  cat >limits/systems/asks.lua <<END
return { update = function()
  local good, why = pcall(world.sql, [[$endless]])
  if good or not why:find("more than 2000000 steps") then error(tostring(why), 0) end
end }
END
  run_for 60 "$release" run limits --headless --ticks 20 --hash
  exits 0
  cp out first
  "$release" run limits --headless --ticks 20 --hash >out 2>err &
  pid=$!
  suspend_repeatedly "$pid" 20
  wait "$pid" || fail "stderr: $(cat err)"
  cmp -s out first || fail "$(cat first out err)"
}
it "a system's query is stopped at its step limit, even if the process is suspended meanwhile" step_limit

failed_chunk() { # write permission ends with the chunk, even if the chunk fails
  cp -R bees sneaky
  echo 'return { update = function() world.sql("DELETE FROM entities") end }' >sneaky/systems/sneak.lua
  run_for 20 "$release" run sneaky --headless --ticks 2 --exec 'error("on purpose")' \
    --exec 'world.sql("SELECT nothing FROM health")'
  exits 1 err "systems/sneak.lua:1: world.sql: cannot write entities: scripts and watches may only read"
}
it "a failed chunk of --exec does not leave write permission to later code" failed_chunk

watches() {
  run_for 20 "$release" run bees --headless --ticks 100 --exec 'world.watch("SELECT * FROM health WHERE hp < 0")'
  exits 1 err "paused at tick 11: the watched query returned a row: SELECT * FROM health WHERE hp < 0"
}
it "world.watch pauses the game in the first tick in which its query returns a row" watches

survives_reload() {
  cp -R bees changing
  echo 'return { update = function() if world.tick == 3 then reload() end end }' >changing/systems/change.lua
  run_for 20 "$release" run changing --headless --ticks 100 --exec 'world.watch("SELECT * FROM health WHERE hp < 0")'
  says err "paused at tick 11"
}
it "a query of world.watch stays watched after a reload" survives_reload

# watch_of_failure FILE TEXT: runs a game whose file calls world.watch in a function that fails; nothing must be watched.
watch_of_failure() {
  rm -rf failing
  cp -R bees failing
  mkdir -p "failing/$(dirname "$1")"
  cat >"failing/$1"
  run_for 20 "$release" run failing --headless --ticks 100 --budget 50
  says err "$2"
  ! grep -qF "paused at tick" err || fail "a discarded call still watches its query: $(cat err)"
}
watch_of_failed_system() {
  watch_of_failure systems/a.lua "systems/a.lua:3: on purpose" <<'END'
return { update = function()
  world.watch("SELECT * FROM health WHERE hp < 0")
  error("on purpose")
end }
END
}
it "world.watch has no effect in a system that fails" watch_of_failed_system

watch_of_stopped_system() {
  watch_of_failure systems/a.lua "systems/a.lua:3: stopped after 50 ms" <<'END'
return { update = function()
  world.watch("SELECT * FROM health WHERE hp < 0")
  while true do end
end }
END
}
it "world.watch has no effect in a system that its time budget stops" watch_of_stopped_system

watch_of_failed_start() {
  watch_of_failure systems/a.lua "systems/a.lua:3: on purpose" <<'END'
return { start = function()
  world.watch("SELECT * FROM health WHERE hp < 0")
  error("on purpose")
end, update = function() end }
END
}
it "world.watch has no effect in a start function that fails" watch_of_failed_start

watch_of_failed_demand_system() {
  rm -rf failing
  cp -R bees failing
  cat >failing/systems/plate.lua <<'END'
return { phase = "demand", update = function()
  world.watch("SELECT * FROM health WHERE hp < 0")
  error("on purpose")
end }
END
  cat >failing/systems/a.lua <<'END'
return { update = function()
  if world.tick == 1 then
    world.watch("SELECT * FROM health WHERE hp < -3")
    print(pcall(world.run, "plate"))
  end
end }
END
  run_for 20 "$release" run failing --headless --ticks 100
  says out "on purpose"
  says err "paused at tick 14: the watched query returned a row: SELECT * FROM health WHERE hp < -3"
}
it "world.watch has no effect in an on-demand system whose error is caught" watch_of_failed_demand_system

watch_of_system() {
  rm -rf failing
  cp -R bees failing
  cat >failing/systems/a.lua <<'END'
return {
  start = function() world.watch("SELECT * FROM health WHERE hp < -2") end,
  update = function() error("on purpose") end,
}
END
  run_for 20 "$release" run failing --headless --ticks 100
  says err "paused at tick 13: the watched query returned a row: SELECT * FROM health WHERE hp < -2"
}
it "a query watched in a system's start function stays watched when the system's update function fails" watch_of_system

same_hash() {
  run_for 20 "$release" run bees --headless --ticks 20 --hash
  cp out plain
  run_for 20 "$release" run bees --headless --ticks 20 --hash \
    --exec 'local rows = world.sql("SELECT * FROM health, components, systems, events, entity_components")'
  cmp -s out plain || fail "$(cat out) is not $(cat plain)"
}
it "SQL queries leave the hashes unchanged" same_hash
