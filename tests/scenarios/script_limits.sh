# Limits on scripts: time budgets set in game.lua, and the memory limit, which includes the world and the history.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game

fresh() { # fresh LUA: creates a game with this game.lua, components, an event, an assemblage and a behaviour
  rm -rf "$game"
  mkdir -p "$game/systems" "$game/scenes" "$game/behaviours"
  echo "$1" >"$game/game.lua"
  echo 'return { p = { x = 0 }, q = { x = 0, y = 0 } }' >"$game/components.lua"
  echo 'return { go = { x = 0 } }' >"$game/events.lua"
  echo 'return { keeper = { components = { keeper = {} } } }' >"$game/assemblages.lua"
  echo 'return {}' >"$game/behaviours/keeper.lua"
}

system() { cat >"$game/systems/$1.lua"; }
play() { run_for 60 "$release" run "$game" --headless --watch --ticks 6 "$@"; }
WORK='local n = 0 for i = 1, 6e7 do n = n + i % 7 end' # about 300 ms

# --- time

long_starts() {
  fresh "return { scene = 'yard', start = function() $WORK print('the game') end }"
  echo "return { start = function() $WORK print('a system') end }" | system fills
  echo "return { start = function() $WORK print('a scene') world.spawn('keeper') end }" >"$game/scenes/yard.lua"
  echo "$WORK return { create = function() $WORK print('a behaviour') end }" >"$game/behaviours/keeper.lua" # slow to load, too
  play
  exits 0
  for what in 'the game' 'a system' 'a scene' 'a behaviour'; do says out "$what"; done
}
it "start functions, a behaviour's create function and loading may take longer than the budget of a tick" long_starts

large_start() {
  fresh 'return {}'
  echo 'return { start = function() for i = 1, 400000 do world.spawn(nil, { p = { x = i }, q = {} }) end end }' | system fills
  play --exec 'world.count("p")'
  exits 0
  play
  exits 0
}
it "a system's start function can spawn 400,000 entities within its budget" large_start

exceeds_budget() { # exceeds_budget BUDGET FIELD CODE: CODE must be stopped, and the error must name the field
  fresh "return { budget = { $1 }, start = function() end }"
  echo "return { $3 }" | system forever
  play
  exits 1 err "stopped after 40 ms (budget.$2 in game.lua"
}
it "budget.system in game.lua limits a system's time, and the error names this field" exceeds_budget 'system = 40' system 'update = function() while true do end end'
it "budget.start in game.lua limits a start function's time, and the error names this field" exceeds_budget 'start = 40' start 'start = function() while true do end end'
it "budget.load in game.lua limits the loading time, and the error names this field" exceeds_budget 'load = 40' load 'update = (function() while true do end end)()'

overridden() {
  fresh "return { budget = { system = 40 } }"
  echo 'return { update = function() while true do end end }' | system forever
  play --budget 30
  says err "stopped after 30 ms (--budget)"
}
it "--budget overrides the budget in game.lua" overridden

rejects_budget() { # rejects_budget LUA MESSAGE
  fresh "return { budget = $1 }"
  play
  exits 1 err "game.lua:1: $2"
}
it "an unknown field of budget is an error that lists the known fields" rejects_budget '{ sytem = 40 }' 'budget has no field sytem (did you mean system?); available: load, sql, start, system'
it "a negative budget.load is an error" \
  rejects_budget '{ load = -1 }' 'budget.load must be an integer from 0 (unlimited) to'

run_query() { # run_query STEPS: runs a query of about 4,000,000 steps with this budget
  fresh "return { budget = { sql = $1, system = 10000 } }"
  system asks <<'END'
return { every = 100, update = function()
  local question = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT count(*) AS c FROM n"
  local good, rows = pcall(world.sql, question)
  print(good and rows[1].c or rows)
end }
END
  play
  exits 0
}
low_sql_budget() { run_query 1000000; says out "the query took more than 1000000 steps"; }
high_sql_budget() { run_query 40000000; says out 300000; }
no_sql_budget() { run_query 0; says out 300000; }
it "budget.sql in game.lua limits the steps of a query" low_sql_budget
it "budget.sql in game.lua can raise the default limit" high_sql_budget
it "budget.sql = 0 disables the step limit" no_sql_budget
it "a fractional budget.sql is an error" rejects_budget '{ sql = 0.5 }' 'budget.sql must be an integer from 0 (unlimited) to'

# Queuing takes microseconds; destroying the tree takes more than 20 ms on a Zen 4 core. The world is small enough (64 MB)
# for changes of a failing handler to be undone.
stopped_commands() {
  fresh 'return { budget = { system = 8, start = 20000 }, start = function()
    local root = world.spawn("root")
    world.count("transform") -- creates the query, which would take a system several milliseconds later
    world.spawn_many("leaf", 450000, function(q) for i = 1, q.count do q.transform.parent[i] = root end end)
  end }'
  echo 'return { root = { components = { p = {}, transform = {} } }, leaf = { components = { transform = {} } } }' \
    >"$game/assemblages.lua"
  echo "return { before = 'both', update = function() if world.tick == 3 then world.emit('go') end end }" | system asks
  system both <<'LUA'
return { query = { "p" }, on = { go = function() for e in world.each("p") do e:destroy() end print("queued") end },
  update = function(q) print("body", world.tick, q.count, world.count("transform")) end }
LUA
  play
  exits 1 err "error in system both, on go: systems/both.lua:1: stopped after 8 ms"
  says out queued
  for tick in 3 4 5; do says out "$(printf 'body\t%s\t1\t450001' $tick)"; done
}
it "an event handler whose queued commands exceed the time budget is parked" stopped_commands

# --- scenes

failing_scene() { # failing_scene MESSAGE CODE [OPTIONS]: a scene whose start runs CODE must fail with MESSAGE
  message=$1 code=$2
  shift 2
  fresh 'return { budget = { start = 40 }, scene = "good" }'
  echo 'return { entities = { { components = { p = { x = 1 } } } }, start = function() print("good begins") end }' >"$game/scenes/good.lua"
  echo "return { entities = { { components = { q = {} } }, { components = { q = {} } } }, start = function() $code end }" >"$game/scenes/bad.lua"
  echo 'return { start = function() for i = 1, 3 do world.spawn(nil, { p = {}, q = {} }) end print("later begins") end }' >"$game/scenes/later.lua"
  system asks <<'LUA'
return { phase = "post_update", update = function()
  if world.tick == 2 then world.scene("bad") elseif world.tick == 6 then world.scene("later") end
  print(world.tick, "p", world.count("p"), "q", world.count("q"))
end }
LUA
  run_for 60 "$release" run "$game" --headless --ticks 9 "$@"
  exits 1
  [ "$(grep -c '^error' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
  says err "error in scene bad: scenes/bad.lua:1: $message"
  says out "$(printf '5\tp\t1\tq\t0')" "later begins" "$(printf '8\tp\t3\tq\t3')"
}
for form in --watch --no-watch; do
  it "if a scene's start function fails, the previous scene stays open and later scenes can be opened ($form)" failing_scene 'no light' 'error("no light")' "$form"
  it "if a scene's start function exceeds its budget, the previous scene stays open and later scenes can be opened ($form)" failing_scene 'stopped after 40 ms' 'while true do end' "$form"
done

# --- memory

unknown_names() {
  fresh 'return { start = function() world.spawn("gunner") end }'
  echo 'return { gun = shoal.types.many { heat = 0 } }' >"$game/components.lua"
  echo 'return { gunner = { components = { gun = { left = {} } }, states = { initial = "calm", calm = {} } } }' >"$game/assemblages.lua"
  rm -r "$game/behaviours"
  system asks <<'LUA'
return { query = { "gun" }, update = function(q)
  local e = q.entity[1]
  for i = world.tick * 400, world.tick * 400 + 399 do
    local name = "s" .. i
    pcall(e.enter, e, name)
    pcall(function() return e.gun[name].heat end)
    pcall(e.remove, e, "gun", name)
    pcall(e.set, e, "gun", {}, name)
    pcall(world.spawn, name)
    e:add("gun", {}, name)
    e:remove("gun", name)
    pcall(world.count, name)
  end
  if world.tick % 10 == 9 then print(tostring(world.snapshot())) end
end }
LUA
  run_for 60 "$release" run "$game" --headless --ticks 30
  exits 0
  awk '{ gsub(/[^0-9.]/, "", $3); if (NR == 1) first = $3; last = $3 } END { exit !(NR == 3 && last < first * 1.5) }' "$tmp/out" || fail "$(cat "$tmp/out")"
}
it "unknown names and names of removed instances do not accumulate in snapshots" unknown_names

exceeds_memory() { # exceeds_memory CODE: a system that runs CODE must be stopped by the limit of --memory
  fresh 'return { budget = { system = 20000 }, start = function() for i = 1, 20000 do world.spawn(nil, { p = { x = i }, q = {} }) end end }'
  echo 'return { label = { text = shoal.types.string "" }, p = { x = 0 }, q = { x = 0, y = 0 } }' >"$game/components.lua"
  echo "return { update = function() $1 end }" | system hoards
  (
    ulimit -v 2000000
    run_for 60 "$release" run "$game" --headless --watch --ticks 1000 --memory 256 --workers 1
    echo "$status" >"$tmp/status"
  )
  status=$(cat "$tmp/status")
  exits 1 err "stopped because the scripts use more than 256 MB (--memory)"
  grep -q '^error' "$tmp/err" || fail "the system was not stopped"
}
it "snapshots held by a script count as script memory" exceeds_memory 'local kept = {} for i = 1, 5000 do kept[i] = world.snapshot() end'
it "strings stored in the world count as script memory" exceeds_memory \
  'local long = ("x"):rep(20000) local e = world.spawn(nil, { label = {} }) for i = 1, 50000 do e:set("label", { text = i .. long }) end'

# Garbage does not count: whether a system is stopped depends on neither the collector, the compiler nor the run.
hashes_with_live_memory() { # hashes_with_live_memory MB [OPTIONS]: a system keeps MB live and creates as much garbage
  live=$1
  shift
  fresh 'return { budget = { system = 20000 } }'
  rm -r "$game/behaviours"
  echo 'return { done = shoal.types.single { ticks = 0 } }' >"$game/components.lua"
  rm "$game/assemblages.lua"
  system hoards <<LUA
return { update = function()
  local kept = {}
  for i = 1, $live do
    kept[i] = ("x"):rep(1e6 + i)
    local garbage = ("y"):rep(1e6 + i)
  end
  world.single.done.ticks = world.single.done.ticks + #kept
  print("kept", #kept)
end }
LUA
  run_for 60 "$release" run "$game" --headless --seed 1 --ticks 6 --memory 64 --hash every=1 "$@"
  grep '^tick\|^kept' "$tmp/out"
}
live_memory() {
  for live in 44 83; do # 0.7 and 1.3 times the limit
    first=$(hashes_with_live_memory "$live")
    [ "$(echo "$first" | grep -c '^tick')" = 6 ] || fail "$first"
    case $live in 44) kept=6 ;; *) kept=0 ;; esac
    [ "$(echo "$first" | grep -c '^kept')" = $kept ] || fail "with $live MB: $first"
    for options in "" --no-jit; do
      # shellcheck disable=SC2086
      same=$(hashes_with_live_memory "$live" $options)
      [ "$same" = "$first" ] || fail "with $live MB and $options: $same, expected: $first"
    done
    recorded=$(hashes_with_live_memory "$live" --record "$tmp/live") # undoes a tick that was stopped
    replayed=$(hashes_with_live_memory "$live" --replay "$tmp/live")
    [ "$recorded" = "$replayed" ] || fail "with $live MB: $replayed, recorded: $recorded"
    [ "$(echo "$recorded" | sed 1d)" = "$(echo "$first" | sed 1d)" ] ||
      fail "with $live MB: $recorded, expected: $first"
  done
}
it "the memory limit counts only live memory, so compiled, interpreted, recorded and replayed runs give the same hashes" live_memory

# The history may use at most half of --memory, and scripts cannot use the memory of the history.
history_memory() {
  fresh 'return { start = function() world.spawn_many("dust", 40000) end }'
  rm -rf "$game/behaviours"
  echo 'return { p = { x = 0 } }' >"$game/components.lua"
  echo 'return { dust = { components = { p = {} } } }' >"$game/assemblages.lua"
  system blow <<'LUA'
return { query = { "p" }, update = function(q)
  local x = q.p.x
  for i = 1, q.count do x[i] = world.random() end
end }
LUA
  system hoard <<'LUA'
return { after = "blow", update = function()
  if world.tick < 200 then return end
  local kept = {}
  for i = 1, 2000 do kept[i] = i .. (" "):rep(30000) end
end }
LUA
  run_for 60 "$release" run "$game" --headless --watch --ticks 203 --history 300 --memory 32 --stats
  exits 1
  [ "$(grep -c 'warn: history: limited to 16 MB (half of --memory 32, which scripts also use) instead of 300 MB: raise --memory or reduce the history' "$tmp/err")" = 1 ] ||
    fail "$(cat "$tmp/err")"
  grep -qE ': stopped because the scripts use more than (1[6-9]|2[0-2]) MB \(32 MB of --memory, minus 1[0-6] MB for the history, see --history\)' "$tmp/err" ||
    fail "$(cat "$tmp/err")"
  sed -n 's/^stats: history \([0-9]*\) ticks in \([0-9]*\)[.].*/\1 \2/p' "$tmp/out" >"$tmp/kept"
  read -r ticks megabytes <"$tmp/kept"
  [ "$ticks" -lt 190 ] && [ "$megabytes" -le 16 ] || fail "the history has $ticks ticks in $megabytes MB"
}
it "the history uses at most half of --memory and leaves the rest to scripts" history_memory

# The state of an interrupted tick depends on the time of the signal, so its hash would look like nondeterminism.
interrupted_tick() {
  fresh 'return { start = function() world.spawn(nil, { p = {} }) end }'
  rm -rf "$game/behaviours" "$game/assemblages.lua"
  system long <<'LUA'
return { query = { "p" }, update = function(q)
  q.p.x[1] = q.p.x[1] + 1
  if world.tick == 3 then print("begun") while true do q.p.x[1] = q.p.x[1] + 1 end end
end }
LUA
  launch "$release" run "$game" --headless --ticks 9 --budget 0 --hash every=1
  trap stop_program EXIT
  expect_log begun
  expect_cpu_use "$program" 10
  expect_prompt_exit
  [ "$status" = 1 ] || fail "exit status $status"
  [ "$(grep -c '^tick . hash' "$log")" = 3 ] || fail "$(cat "$log")"
  grep -q 'systems/long.lua:.*: stopped because the program is exiting' "$log" || fail "$(cat "$log")"
}
it "no hash is printed for a tick interrupted by SIGTERM" interrupted_tick
