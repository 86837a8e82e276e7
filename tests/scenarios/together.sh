# Systems that share nothing run at the same time, and nobody can tell but by the clock: hashes of random games, what
# the order says of who runs with whom, and what happens to a plugin that declares something else than it does.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
game=$tmp/game

any_game() { # any_game SEED WORD…: a random game in $game
  seed=$1
  shift
  rm -rf "$game"
  mkdir -p "$game/systems" "$game/plugins"
  luajit tests/scenarios/lib/together.lua "$seed" "$game" || fail "game $seed is not written"
  ${CC:-cc} -std=c11 -O2 -ffp-contract=off -fPIC -shared -Iengine/include "$@" -o "$game/plugins/any.so" \
    "$game/plugins/any.c" || fail "game $seed does not compile"
}

hashes() { # hashes NAME WORD…: into $tmp/NAME
  name=$1
  shift
  run_for 120 "$release" run "$game" --headless --strict --budget 60000 --native now --seed 1 --ticks 30 --hash every=5 "$@"
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$name"
  [ "$(wc -l <"$tmp/$name")" -eq 6 ] || fail "no hashes: $(cat "$tmp/out" "$tmp/err")"
}

same() {
  for seed in 11 12 ${LONG:+13 14 15 16 17}; do
    any_game "$seed"
    hashes one --workers 1
    for workers in 2 8; do
      hashes "with_$workers" --workers "$workers" --stats
      grep -q '^stats: together update [a-z0-9., ]* us/run [1-9]' "$tmp/err" "$tmp/out" ||
        fail "game $seed, $workers workers: no systems ran at the same time"
      cmp -s "$tmp/one" "$tmp/with_$workers" ||
        fail "game $seed, $workers workers: $(diff "$tmp/one" "$tmp/with_$workers" | head -n 4)"
    done
  done
}
it "random loops in both precisions and systems of plugins give the same hashes with 1, 2 and 8 workers" same

checked() {
  any_game 12
  hashes one --workers 1
  hashes rollback --workers 2 --check-rollback 3
  cmp -s "$tmp/one" "$tmp/rollback" || fail "with --check-rollback: $(diff "$tmp/one" "$tmp/rollback" | head -n 4)"
}
it "and when ticks are lived again" checked

a_game() { # a_game "LOOPS": systems a, b, …, a line each
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

prints() {
  a_game <<'END'
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
a - 1 first of its phase
ab 1 8 a writes heat.value (systems/a.lua:2)
b 1 1
c - 1 ab reads heat.rate (systems/ab.lua:3)
d - 1 runs alone: systems/d.lua:1: has no loop for i = 1, q.count do
e - 1 the previous system runs alone
f - 1 declared to run after e (systems/e.lua:1)
g - 1 runs alone: systems/g.lua:1: declares start
END
  cmp -s "$tmp/order" "$tmp/expected" || fail "$(diff "$tmp/expected" "$tmp/order")"
  for workers in 1 2; do
    run_for 30 "$release" run "$game" --headless --ticks 20 --workers $workers --stats --hash
    grep hash "$tmp/out" >"$tmp/hash_$workers"
  done
  cmp -s "$tmp/hash_1" "$tmp/hash_2" || fail "two workers leave another world behind"
  grep -q '^stats: together update ab, b [0-9.]* us/run [0-9]* runs' "$tmp/out" "$tmp/err" ||
    fail "--stats does not say it: $(grep stats "$tmp/out" "$tmp/err")"
}
it "the order says which systems run at the same time, and why others do not" prints

lies() { # lies "BODY" "DECLARED" "what it must say"
  any_game 11
  cat >"$game/plugins/any.c" <<END
#include <shoal/plugin.h>
#define PART_FIELDS(F) F(f32, x, 1) F(f32, y, 2)
SHOAL_COMPONENT(part1, PART_FIELDS)
SHOAL_COMPONENT(part2, PART_FIELDS)
static void work(shoal_context *c, const shoal_view *v, float dt_s) { $1; (void)c, (void)v, (void)dt_s; }
static void rest(shoal_context *c, const shoal_view *v, float dt_s) { (void)c, (void)v, (void)dt_s; }
SHOAL_PLUGIN(.name = "any", .version = 1, .components = SHOAL_COMPONENTS(part1, part2),
  .systems = SHOAL_SYSTEMS({.name = "work", .query = {"part1"}, $2 .beside = true, .run = work},
    {.name = "rest", .query = {"part2"}, .beside = true, .run = rest}))
END
  rm "$game"/systems/*
  sed -i 's/for part = 1, 8/for part = 1, 2/' "$game/game.lua"
  ${CC:-cc} -std=c11 -O2 -fPIC -shared -Iengine/include -o "$game/plugins/any.so" "$game/plugins/any.c" ||
    fail "it does not compile"
  for workers in 1 2; do
    run_for 30 "$release" run "$game" --headless --ticks 3 --workers "$workers" --hash
    exits 1
    says err "error in plugin any.work: $3"
    grep hash "$tmp/out" >"$tmp/hash_$workers"
  done
  cmp -s "$tmp/hash_1" "$tmp/hash_2" || fail "two workers leave another world behind"
}
it "a system that writes what it declared to read is parked" lies \
  'SHOAL_COLUMN(v, part1, y)[0] += 1' '.reads = {"part1"},' "it writes part1.y, which its .reads says that it only reads"
it "and one that looks at what it did not declare" lies \
  '(void)shoal_rows_of(shoal_world_of(c), &part2_component)' '' "it looks at part2, which neither its query nor its .reads names"
it "and one that destroys without saying so" lies \
  'shoal_kill_many(shoal_world_of(c), v->entities, 1)' '' "it destroys, adds, removes or sets: with .beside it has to say .changes = true"
it "and one that spawns" lies 'shoal_spawn_many(shoal_world_of(c), "", 1, NULL)' '' "it spawns, which a system with .beside cannot"
