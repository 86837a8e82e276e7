# Concurrent systems: systems without shared data run in parallel with identical results. Compares hashes of random
# games, checks the reported schedule, and runs plugins with incorrect declarations.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
game=$tmp/game

random_game() { # random_game SEED FLAG…: generates a random game in $game
  seed=$1
  shift
  rm -rf "$game"
  mkdir -p "$game/systems" "$game/plugins"
  luajit tests/scenarios/lib/concurrent_systems.lua "$seed" "$game" || fail "cannot generate game $seed"
  ${CC:-cc} -std=c11 -O2 -ffp-contract=off -fPIC -shared -Iengine/include "$@" -o "$game/plugins/any.so" \
    "$game/plugins/any.c" || fail "game $seed does not compile"
}

hashes() { # hashes NAME ARGUMENT…: runs the game and writes its hashes to $tmp/NAME
  name=$1
  shift
  run_for 120 "$release" run "$game" --headless --strict --budget 60000 --native now --seed 1 --ticks 30 --hash every=5 "$@"
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$name"
  [ "$(wc -l <"$tmp/$name")" -eq 6 ] || fail "no hashes: $(cat "$tmp/out" "$tmp/err")"
}

same() {
  for seed in 11 12 ${LONG:+13 14 15 16 17}; do
    random_game "$seed"
    hashes one --workers 1
    for workers in 2 8; do
      hashes "with_$workers" --workers "$workers" --stats
      grep -q '^stats: together update [a-z0-9., ]* us/run [1-9]' "$tmp/err" "$tmp/out" ||
        fail "game $seed, $workers workers: no systems ran concurrently"
      cmp -s "$tmp/one" "$tmp/with_$workers" ||
        fail "game $seed, $workers workers: $(diff "$tmp/one" "$tmp/with_$workers" | head -n 4)"
    done
  done
}
it "randomly generated loops and plugin systems give the same hashes with 1, 2 and 8 workers" same

with_rollback() {
  random_game 12
  hashes one --workers 1
  hashes rollback --workers 2 --check-rollback 3
  cmp -s "$tmp/one" "$tmp/rollback" || fail "with --check-rollback: $(diff "$tmp/one" "$tmp/rollback" | head -n 4)"
}
it "concurrent systems give the same hashes when ticks are re-simulated" with_rollback

make_game() { # creates a game; each line of stdin is a system: NAME|BODY
  rm -rf "$game"
  mkdir -p "$game/systems"
  cat >"$game/components.lua" <<'END'
return { heat = { value = 1, rate = 2 }, cold = { value = 1 } }
END
  echo 'return { stove = { components = { heat = {}, cold = {} } } }' >"$game/assemblages.lua"
  echo 'return { title = "Stoves", start = function() world.spawn_many("stove", 50000) end }' >"$game/game.lua"
  while IFS='|' read -r name body; do
    [ -z "$name" ] || printf 'return { %b }\n' "$body" >"$game/systems/$name.lua"
  done
}

lists_schedule() {
  make_game <<'END'
a|query = { "heat" }, precision = "single", update = function(q) for i = 1, q.count do\n q.heat.value[i] = q.heat.value[i] + q.heat.rate[i] end end
ab|query = { "heat" }, precision = "single", update = function(q) for i = 1, q.count do\n q.heat.value[i] = math.exp(-q.heat.value[i])\n * q.heat.rate[i]\n end end
b|query = { "cold" }, precision = "single", update = function(q) for i = 1, q.count do q.cold.value[i] = q.cold.value[i] + 1 end end
c|query = { "heat" }, precision = "single", update = function(q) for i = 1, q.count do q.heat.rate[i] = q.heat.rate[i] * 0.5 end end
d|query = { "heat" }, update = function(q) end
e|query = { "heat" }, after = "d", precision = "single", update = function(q) for i = 1, q.count do q.heat.value[i] = q.heat.value[i] + 1 end end
f|query = { "cold" }, after = "e", precision = "single", update = function(q) for i = 1, q.count do q.cold.value[i] = q.cold.value[i] + 1 end end
g|query = { "cold" }, start = function() end, precision = "single", update = function(q) for i = 1, q.count do q.cold.value[i] = q.cold.value[i] + 1 end end
END
  run_for 30 "$release" sql "$game" --ticks 4 --workers 2 --native now \
    "SELECT name, coalesce(together, '-') AS t, parts, coalesce(apart, '') AS a FROM systems WHERE phase = 'update'"
  exits 0
  sed 1,2d "$tmp/out" | tr -s ' ' | sed 's/^ //; s/ $//' >"$tmp/order"
  cat >"$tmp/expected" <<'END'
a - 1 first in the phase
ab 1 8 a writes heat.value (systems/a.lua:2)
b 1 1
c - 1 ab reads heat.rate (systems/ab.lua:3)
d - 1 runs alone: systems/d.lua:1: a function without a loop for i = 1, q.count do
e - 1 the previous system runs alone
f - 1 declared to run after e (systems/e.lua:1)
g - 1 runs alone: systems/g.lua:1: declares start
END
  cmp -s "$tmp/order" "$tmp/expected" || fail "$(diff "$tmp/expected" "$tmp/order")"
  for workers in 1 2; do
    run_for 30 "$release" run "$game" --headless --ticks 20 --workers $workers --stats --hash
    grep hash "$tmp/out" >"$tmp/hash_$workers"
  done
  cmp -s "$tmp/hash_1" "$tmp/hash_2" || fail "two workers give a different hash"
  grep -q '^stats: together update ab, b [0-9.]* us/run [0-9]* runs' "$tmp/out" "$tmp/err" ||
    fail "missing in --stats: $(grep stats "$tmp/out" "$tmp/err")"
}
it "the SQL table systems lists concurrent systems, and the reason why a system cannot run in parallel" lists_schedule

# One loop for each command that a side exit may queue (machine code emits the events of system a, and lists the rows
# that enter a state in system i), and two loops whose side exits are not deferred: one exit may fail, and one reads a
# value that it changes.
exits_game() {
  make_game <<'END'
a|query = { "heat" }, update = function(q) for i = 1, q.count do q.heat.value[i] = q.heat.value[i] + 1 if (i + world.tick) % 997 == 0 then world.emit("hot", { who = q.entity[i], value = q.heat.rate[i] }) q.heat.value[i] = 0 end end end
b|query = { "cold" }, each = function(e) e.cold.value = e.cold.value + 1 if e.cold.value % 5 > 4 and e.cold.rate == 1 then e:set("cold", { rate = e.cold.value, at = e }) end end
c|query = { "heat" }, each = function(e) e.heat.rate = e.heat.rate * 1.5 if e.heat.rate > 1000 then e:destroy() e.heat.rate = 2 end end
d|query = { "heat" }, update = function(q) for i = 1, q.count do q.heat.rate[i] = q.heat.rate[i] + 1 if q.heat.rate[i] % 61 < 0.25 then q.entity[i]:add("mark", { value = i }) end end end
e|query = { "mark" }, each = function(e) e.mark.value = e.mark.value - 1 if e.mark.value % 3 == 0 then e:remove("mark") end end
f|query = { "heat", "cold" }, update = function(q) local at = q.cold.at for i = 1, q.count do q.heat.value[i] = q.heat.value[i] * 0.5 if q.heat.value[i] % 1 > 0.999 then world.spawn("stove", { heat = { rate = q.cold.value[i] }, cold = { at = at[i] } }) end end end
g|query = { "cold" }, update = function(q) for i = 1, q.count do q.cold.value[i] = q.cold.value[i] + (q.cold.at[i]:alive() and 1 or 0) if i % 9973 == world.tick then q.cold.at[i]:destroy() end end end
h|query = { "dot" }, update = function(q) for i = 1, q.count do q.dot.n[i] = q.dot.n[i] + 9 if q.dot.n[i] == 90 then world.emit("hot", { value = i }) end end end
i|query = { "calm" }, each = function(e) e.calm.left = e.calm.left - 1 if e.calm.left < 0 then e:enter("angry") end end
END
  cat >"$game/components.lua" <<'END'
local t = shoal.types
return { heat = { value = 1, rate = 2 }, cold = { value = 1, rate = 1, at = t.entity }, mark = { value = 0 },
  dot = { n = t.u8(0) }, calm = { left = 5 }, angry = { power = 1 }, heard = t.single { sum = t.f64(0) } }
END
  echo 'return { hot = { who = shoal.types.entity, value = 0 } }' >"$game/events.lua"
  cat >"$game/assemblages.lua" <<'END'
return { stove = { components = { heat = {}, cold = {} } }, dot = { components = { dot = {} } },
  dog = { states = { initial = "calm", calm = { calm = {} }, angry = { angry = {} } } } }
END
  cat >"$game/systems/hear.lua" <<'END'
return { phase = "pre_update", on = { hot = function(ev)
  local heard = world.single.heard
  for i = 1, ev.count do heard.sum = heard.sum * 0.5 + ev.value[i] end
end } }
END
  cat >"$game/game.lua" <<'END'
return { title = "Exits", start = function()
  world.spawn_many("dot", 3000, function(q) for i = 1, q.count do q.dot.n[i] = i % 50 end end)
  world.spawn_many("dog", 3000, function(q) for i = 1, q.count do q.calm.left[i] = i % 40 end end)
  world.spawn_many("stove", 12000, function(q)
    for i = 1, q.count do
      q.heat.value[i], q.heat.rate[i], q.cold.value[i] = i % 100 / 7, i % 211 / 9, i % 17 / 3
    end
  end)
end }
END
}

exits_run() { # exits_run NAME WORD…
  name=$1
  shift
  run_for 120 "$release" run "$game" --headless --no-watch --budget 60000 --seed 1 --ticks 20 --hash every=4 "$@"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$name"
  [ "$(wc -l <"$tmp/$name")" -eq 5 ] || fail "no hashes: $(cat "$tmp/out" "$tmp/err")"
}

side_exits() {
  exits_game
  exits_run plain --native off
  for mode in now now,split now,swap2; do
    for workers in 1 2 8; do
      exits_run native --native "$mode" --workers "$workers" --explain all
      cmp -s "$tmp/plain" "$tmp/native" || fail "$mode, $workers workers: $(diff "$tmp/plain" "$tmp/native" | head -n 4)"
      [ "$mode" = now,swap2 ] || for name in a i; do
        grep -q "explain: $name (.* 0 of them in Lua" "$tmp/out" ||
          fail "$mode, $workers workers: $(grep "explain: $name" "$tmp/out")"
      done
      [ "$mode" = now,swap2 ] || for name in b c d e f; do
        grep -q "explain: $name (.* [1-9][0-9]* of them in Lua, after all other rows" "$tmp/out" ||
          fail "$mode, $workers workers: $(grep "explain: $name" "$tmp/out")"
      done
      ! grep "explain: [gh] .*after all other rows" "$tmp/out" || fail "side exits of g or h were deferred"
    done
  done
  run_for 60 "$release" sql "$game" --native now --workers 2 --ticks 20 \
    "SELECT name, coalesce(together, '-') AS t, coalesce(apart, '') AS a FROM systems WHERE phase = 'update'"
  sed 1,2d "$tmp/out" | tr -s ' ' | sed 's/^ //; s/ $//' >"$tmp/order"
  cat >"$tmp/expected" <<'END'
a 1 first in the phase
b 1
c - a reads heat.rate (systems/a.lua:1)
d - c makes structural changes (systems/c.lua:1)
e - d makes structural changes (systems/d.lua:1)
f - e makes structural changes (systems/e.lua:1)
g - runs alone: systems/g.lua:1: some rows may run in Lua: cold.at:destroy
h - runs alone: systems/h.lua:1: some rows may run in Lua: a value that does not fit dot.n
i - runs alone: systems/i.lua:1: rows enter states
END
  cmp -s "$tmp/order" "$tmp/expected" || fail "$(cat "$tmp/order")"
}
it "deferred side exits that queue commands give the same hashes as a run without native code" side_exits

failing_part() {
  make_game <<'END'
a|query = { "heat" }, update = function(q) for i = 1, q.count do q.heat.value[i] = q.heat.value[i] + 1 if i == 40003 then q.entity[i]:add("mark", { value = i }) q.entity[i].other.value = 2 end q.heat.rate[i] = 3 end end
b|query = { "cold" }, each = function(e) e.cold.value = e.cold.value * 2 if e.cold.value == 4 and e == world.find("last") then e:add("mark") e.other.value = 3 end end
END
  echo 'return { heat = { value = 1, rate = 2 }, cold = { value = 1 }, mark = { value = 1 }, other = { value = 1 } }' \
    >"$game/components.lua"
  sed -i 's/50000)/50000) world.spawn("stove", { name = "last" }) world.spawn_many("stove", 500)/' "$game/game.lua"
  for options in "off --workers 1" "now,split --workers 1" "now,split --workers 2" "now,split --workers 8"; do
    run_for 60 "$release" run "$game" --headless --seed 1 --ticks 3 --hash every=1 --native $options
    exits 1 err 'systems/a.lua:1: entity(40003:0 stove) has no other'
    says err 'systems/b.lua:1: entity(50001:0 "last") has no other'
    grep '^tick' "$tmp/out" >"$tmp/failed"
    [ "$options" != "off --workers 1" ] || cp "$tmp/failed" "$tmp/first"
    cmp -s "$tmp/first" "$tmp/failed" || fail "$options: $(diff "$tmp/first" "$tmp/failed")"
  done
}
it "an error in one part of a parallel system names the entity and line, and changes to earlier rows are kept" failing_part

wrong_declaration() { # wrong_declaration "BODY" "DECLARATION" "MESSAGE"
  random_game 11
  cat >"$game/plugins/any.c" <<END
#include <shoal/plugin.h>
#define PART_FIELDS(F) F(f32, x, 1) F(f32, y, 2)
SHOAL_COMPONENT(part1, PART_FIELDS)
SHOAL_COMPONENT(part2, PART_FIELDS)
static void work(shoal_context *c, const shoal_view *v, float dt_s) { $1; (void)c, (void)v, (void)dt_s; }
static void rest(shoal_context *c, const shoal_view *v, float dt_s) { (void)c, (void)v, (void)dt_s; }
SHOAL_PLUGIN(.name = "any", .version = 1, .components = SHOAL_COMPONENTS(part1, part2),
  .systems = SHOAL_SYSTEMS({.name = "work", .query = {"part1"}, $2 .concurrent = true, .run = work},
    {.name = "rest", .query = {"part2"}, .concurrent = true, .run = rest}))
END
  rm "$game"/systems/*
  sed -i 's/for part = 1, 8/for part = 1, 2/' "$game/game.lua"
  ${CC:-cc} -std=c11 -O2 -fPIC -shared -Iengine/include -o "$game/plugins/any.so" "$game/plugins/any.c" ||
    fail "the plugin does not compile"
  for workers in 1 2; do
    run_for 30 "$release" run "$game" --headless --ticks 3 --workers "$workers" --hash
    exits 1 err "error in plugin any.work: $3"
    grep hash "$tmp/out" >"$tmp/hash_$workers"
  done
  cmp -s "$tmp/hash_1" "$tmp/hash_2" || fail "two workers give a different hash"
}
it "a concurrent plugin system that writes a read-only column is parked" wrong_declaration \
  'SHOAL_COLUMN(v, part1, y)[0] += 1' '.reads = {"part1"},' "the system writes part1.y, which is read-only, because .reads names it"
it "a concurrent plugin system that reads an undeclared component is parked" wrong_declaration \
  '(void)shoal_get_rows(shoal_get_world(c), &part2_component)' '' "cannot read part2: name it in the query or .reads of the system, because the system has .concurrent"
it "a concurrent plugin system that destroys entities without .concurrent_changes is parked" wrong_declaration \
  'shoal_destroy_many(shoal_get_world(c), v->entities, 1)' '' "a system with .concurrent must declare .concurrent_changes = true to destroy, add, remove or set"
it "a concurrent plugin system that spawns is parked" wrong_declaration 'shoal_spawn_many(shoal_get_world(c), "", 1, NULL)' '' "a system with .concurrent cannot spawn"
