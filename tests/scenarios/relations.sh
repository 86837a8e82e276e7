# Pairs, cascades, observers and counters are part of the world: rollback, rewind, save, replay and reload give the
# same hashes. Systems that trigger themselves endlessly are parked.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=relations
. "$(dirname "$0")/lib/reproducible.sh"

is_exercised() { # checks that the game uses relations, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    'SELECT added > 60 AS a, removed > 40 AS r, written > 500 AS s, rounds > 5 AS o, pairs > 50 AS p FROM heard;
     SELECT count(*) > 50 AS pairs FROM likes; SELECT count(*) > 5 AS followers FROM follows;
     SELECT count(*) = 0 AS dangling FROM likes WHERE target NOT IN (SELECT entity FROM folk)'
  exits 0
  [ "$(grep -c '^ *1 *1 *1 *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1$' out)" = 3 ] || fail "$(cat out)"
}
it "the test game uses relations, and no pair targets a destroyed entity" is_exercised

it "relations give the same hashes when ticks are re-simulated" again

it "relations give the same hashes in a replay" replayed

it "relations give the same hashes when continued from a save" saved 37 150

it "relations give the same hashes after a rewind and a reload of unchanged files" rewound

endless_trigger() {
  mkdir -p "$tmp/endless/systems"
  echo 'return { title = "endless", start = function() world.spawn(nil, { heat = {} }) world.spawn(nil, { calm = {} }) end }' \
    >"$tmp/endless/game.lua"
  echo 'return { heat = { value = 1 }, calm = { ticks = 0 } }' >"$tmp/endless/components.lua"
  cat >"$tmp/endless/systems/stoker.lua" <<'END'
return {
  query = { "heat" },
  enter = function(e) e.heat.value = 2 end,
  changed = function(e)
    e.heat.value = e.heat.value + 1
  end,
}
END
  echo 'return { query = { "calm" }, leave = function(e) e:add("calm") end,
    enter = function(e) e:remove("calm") end }' >"$tmp/endless/systems/wind.lua"
  echo 'return { update = function() if world.tick % 10 == 0 then print("goes on", world.tick) end end }' \
    >"$tmp/endless/systems/others.lua"
  run_for 60 "$release" run "$tmp/endless" --headless --no-watch --ticks 31
  says err "systems/stoker.lua:4: enter, leave and changed of stoker ran 100 rounds in one tick, most recently changed of"
  says err "systems/wind.lua:2: enter, leave and changed of wind ran 100 rounds in one tick, most recently enter of"
  says out "goes on	30"
}
it "a system that triggers itself endlessly is parked with an error, and other systems keep running" endless_trigger

# endless_spawns "MESSAGE" SYSTEM SYSTEM: both systems spawn entities without end
endless_spawns() {
  rm -rf "$tmp/flood"
  mkdir -p "$tmp/flood/systems"
  echo 'return { title = "endless", start = function() world.spawn("hot") end }' >"$tmp/flood/game.lua"
  echo 'return { heat = {}, cold = {} }' >"$tmp/flood/components.lua"
  echo 'return { hot = { components = { heat = {} } }, ice = { components = { cold = {} } } }' >"$tmp/flood/assemblages.lua"
  echo "$2" >"$tmp/flood/systems/first.lua"
  echo "$3" >"$tmp/flood/systems/second.lua"
  echo 'return { update = function() if world.tick == 39 then print("entities", world.count("heat") + world.count("cold")) end end }' \
    >"$tmp/flood/systems/third.lua"
  run_for 60 "$release" run "$tmp/flood" --headless --no-watch --ticks 40
  says err "$1"
  left=$(sed -n 's/^entities	//p' "$tmp/out")
  [ "${left:-999999}" -lt 300000 ] || fail "$left entities: $(cat "$tmp/err")"
}
it "an enter function that spawns entities without end is parked" \
  endless_spawns "systems/first.lua:2: enter of first spawned more than 65536 entities in one tick" \
  'return { query = { "heat" },
  enter = function(e) world.spawn("hot") world.spawn("hot") end }' 'return { update = function() end }'
it "two systems whose enter functions trigger each other by spawning entities are parked" \
  endless_spawns "systems/first.lua:1: enter of first spawned more than 65536 entities in one tick" \
  'return { query = { "heat" }, enter = function(e) for i = 1, 4 do world.spawn("ice") end end }' \
  'return { query = { "cold" }, enter = function(e) world.spawn("hot") end }'

wrong() { # wrong "MESSAGE" SYSTEM: a system with these fields must be an error with this message
  mkdir -p "$tmp/wrong/systems"
  echo 'return { title = "wrong" }' >"$tmp/wrong/game.lua"
  echo 'return { heat = { value = 1 }, likes = shoal.types.relation {}, goal = shoal.types.single { at = shoal.types.entity } }' >"$tmp/wrong/components.lua"
  echo "return { $2 }" >"$tmp/wrong/systems/system.lua"
  run_for 60 "$release" run "$tmp/wrong" --headless --no-watch --ticks 2
  says err "systems/system.lua:1" "$1"
}
misused() {
  wrong "changed requires a query" 'changed = function() end'
  wrong "changed must be a function, got 3" 'query = { "heat" }, changed = 3'
  wrong "system has changed, which is not allowed in phase \"render\": use a different phase" 'query = { "heat" }, phase = "render", changed = function() end'
  wrong "system has enter, which is not allowed in phase \"render\": use a different phase" 'query = { "heat" }, phase = "render", enter = function() end'
  wrong "system has leave, which is not allowed in phase \"render\": use a different phase" 'query = { "heat" }, phase = "render", leave = function() end'
  wrong "a system has no field parallel: remove parallel: Shoal distributes compiled loops over all cores by itself" 'query = { "heat" }, parallel = true, update = function(q) end'
  wrong "runs on demand and cannot have changed" 'phase = "demand", query = { "heat" }, update = function() end, changed = function() end'
  wrong "cannot have changed, because its query selects the pairs" 'query = { "heat", likes = "apples" }, changed = function() end'
  wrong "a system has no field observe: use enter = function(e), leave = function(e) and changed = function(e)" 'query = { "heat" }, observe = { set = function() end }'
  wrong "world.changed was removed: give a system changed = function(e), or compare world.changes(name)" 'update = function() if world.changed("heat") then print(1) end end'
  wrong "audio.music was removed: declare the file in music.lua, return { night = " 'update = function() audio.music("night.ogg") end'
  wrong "world.rewind was removed: use world.restore(world.tick - 60)" 'update = function() world.rewind(30) end'
  wrong "cannot have enter, because its query selects the pairs" 'query = { "heat", likes = "apples" }, enter = function() end'
  wrong "the singleton goal has no entity field att (did you mean at?)" 'query = { likes = "goal.att" }, update = function() end'
  wrong "heat cannot form pairs" 'query = { heat = "apples" }, update = function() end'
  wrong "a query has no field lykes (did you mean likes?)" 'query = { "heat", lykes = "apples" }, update = function() end'
  wrong "there are no entities while files are loaded" 'query = { "heat", likes = 5 }, update = function() end'
}
it "errors in declarations of enter, leave, changed and pairs are reported with their line" misused
