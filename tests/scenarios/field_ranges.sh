# Fields with min and max: no path stores a value out of the range. Clamping is silent; NaN is reported with its line.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# ---- random writes through every path of Lua, compiled and not; systems between them check all values

ticks=100
[ -z "$LONG" ] || ticks=6000

fuzz() { # fuzz FILE [OPTION…]: writes the hash of the run to FILE
  file=$1
  shift
  run_for 60 "$release" run "$root/tests/scenarios/games/ranges" --headless --seed 7 --ticks $ticks --hash "$@"
  exits 0 out "checked $ticks ticks"
  grep '^tick' out >"$file"
}
fuzz_equal() { # fuzz_equal [OPTION…]
  [ -s plain ] || fuzz plain --native now
  fuzz other "$@"
  cmp -s plain other || fail "with $*: $(cat other), not $(cat plain)"
}
it "no random write of a script stores a value outside its field's range" fuzz plain --native now
it "random writes store the same clamped values without native code" fuzz_equal --native off
it "random writes store the same clamped values with SSE2 only" fuzz_equal --native sse2
it "random writes store the same clamped values in interpreted Lua" fuzz_equal --no-jit

# ---- one path at a time

rm -rf orcs
mkdir -p orcs/systems orcs/plugins
echo 'return { start = function() for i = 1, 3 do world.spawn("orc", { health = { hp = i * 20 } }) end end }' >orcs/game.lua
echo 'return { orc = { components = { health = {} } } }' >orcs/assemblages.lua
range() { # range [MIN MAX [DEFAULT]]
  echo "return { health = { hp = shoal.types.i32(${3-10}, { min = ${1-0}, max = ${2-100} }) } }" >orcs/components.lua
}
range

loop() { # loop LUA: writes systems/writer.lua, with LUA in line 2 as the body of a loop over the rows
  printf 'return { query = { "health" }, update = function(q, dt) local hp = q.health.hp for i = 1, q.count do\n%s\nend end }\n' \
    "$1" >orcs/systems/writer.lua
}
hp_after() { # hp_after TICKS [OPTION…]: prints the values after TICKS ticks
  hp_ticks=$1
  shift
  run_for 20 "$release" sql orcs "SELECT group_concat(hp) AS hp FROM health" --ticks "$hp_ticks" "$@"
  tail -n 1 out | tr -d ' '
}

reports_once() { # reports_once MESSAGE
  says err "$1"
  [ "$(grep -c 'must be from' err)" = 1 ] || fail "reported repeatedly: $(cat err)"
}
is_silent() {
  ! grep -q 'must be' err || fail "reported: $(cat err)"
}
column_write() {
  loop 'hp[i] = hp[i] + 50'
  [ "$(hp_after 3 --strict)" = 100,100,100 ] || fail "$(cat out err)"
  is_silent
}
it "an out-of-range value left in a column is clamped when its system ends, without a message" column_write

corrected_write() {
  loop 'hp[i] = hp[i] - 50 if hp[i] < 0 then hp[i] = 0 end'
  [ "$(hp_after 3 --strict)" = 0,0,0 ] || fail "$(cat out err)"
  [ ! -s err ] || fail "$(cat err)"
}
it "an out-of-range column value that the system itself corrects is not reported" corrected_write

entity_write() {
  loop 'q.entity[i].health.hp = -7'
  [ "$(hp_after 2 --strict)" = 0,0,0 ] || fail "$(cat out err)"
  is_silent
}
it "an out-of-range value written through an entity is clamped immediately, without a message" entity_write

required_loop() {
  echo 'return { query = { "health" }, compile = "required", each = function(e) e.health.hp = e.health.hp + 45 end }' \
    >orcs/systems/writer.lua
  [ "$(hp_after 2 --native now)" = 100,100,100 ] || fail "$(cat out err)"
  is_silent
}
it "an out-of-range value in a loop with compile = \"required\" is clamped without a message" required_loop

nan_write() {
  loop 'q.entity[i].health.hp = 0 / (dt - dt)'
  [ "$(hp_after 2)" = 10,10,10 ] || fail "$(cat out err)"
  reports_once "health.hp must be from 0 to 100, got nan; stored 10: check for a division by zero"
}
it "NaN in a field with a range becomes the field's default, and is reported with its line" nan_write

strict_write() { # strict_write STATUS LUA
  loop "$2"
  run_for 20 "$release" run orcs --headless --ticks 3 --strict
  exits "$1"
}
it "with --strict, clamped values do not end the game" strict_write 0 'hp[i] = 500 q.entity[i].health.hp = -500'
it "with --strict, NaN in a field with a range ends the game" strict_write 1 'q.entity[i].health.hp = 0 / (dt - dt)'
it "with --strict, a value outside the type's range ends the game" strict_write 1 'hp[i] = 2 ^ 40'
rm -f orcs/systems/writer.lua

assemblage_value() {
  cp orcs/assemblages.lua kept.lua
  printf 'return { orc = { components = {\n  health = { hp = 200 } } } }\n' >orcs/assemblages.lua
  run_for 20 "$release" sql orcs "INSERT INTO entities(assemblage) VALUES ('orc'); SELECT max(hp) AS hp FROM health"
  mv kept.lua orcs/assemblages.lua
  [ "$(tail -n 1 out | tr -d ' ')" = 100 ] || fail "$(cat out err)"
  says err "assemblages.lua:2: health.hp must be from 0 to 100, got 200; stored 100"
}
it "an out-of-range value in an assemblage is clamped and reported with its line" assemblage_value

filled_columns() {
  cp orcs/game.lua kept.lua
  printf 'return { start = function() world.spawn_many("orc", 3, function(q) for i = 1, q.count do\n%s\nend end) end }\n' \
    'q.health.hp[i] = i * 40' >orcs/game.lua
  hp=$(hp_after 1)
  mv kept.lua orcs/game.lua
  [ "$hp" = 40,80,100 ] || fail "$(cat out err)"
  is_silent
}
it "values filled in by the function given to world.spawn_many are clamped immediately" filled_columns

scene_value() { # scene_value FILE TEXT: checks the scene TEXT, whose line 2 gives an orc 200 hp
  mkdir -p orcs/scenes
  printf "$2" >"orcs/scenes/$1"
  cp orcs/game.lua kept.lua
  echo 'return { scene = "level" }' >orcs/game.lua
  run_for 20 "$release" run orcs --headless --ticks 1 --strict
  exits 1 err "scenes/$1:2: entity 1: health.hp must be from 0 to 100, got 200: clamp it before storing it"
  hp=$(hp_after 1)
  mv kept.lua orcs/game.lua
  rm -r orcs/scenes
  [ "$hp" = 100 ] || fail "$hp: $(cat out err)"
  reports_once "scenes/$1:2: health.hp must be from 0 to 100, got 200; stored 100"
}
it "an out-of-range value in a Lua scene is clamped and reported with its line" scene_value level.lua \
  'return { entities = { { assemblage = "orc", components = {\n  health = { hp = 200 } } } } }\n'
it "an out-of-range value in a JSON scene is clamped and reported with its line" scene_value level.json \
  '{ "format": 1, "entities": [ { "assemblage": "orc", "components":\n  { "health": { "hp": 200 } } } ] }\n'

sql_write() {
  run_for 20 "$release" sql orcs "UPDATE health SET hp = hp * 3 - 70; SELECT group_concat(hp) AS hp FROM health"
  [ "$(tail -n 1 out | tr -d ' ')" = 0,50,100 ] || fail "$(cat out err)"
}
it "values that SQL writes are clamped to the field's range" sql_write

plugin_write() {
  cat >orcs/plugins/wild.c <<'END'
#include <shoal/plugin.h>
#define HEALTH_FIELDS(F) F(i32, hp, 10)
SHOAL_COMPONENT(health, HEALTH_FIELDS)
static void grow(shoal_context *c, const shoal_view *v, float dt_s) {
  int32_t *hp = SHOAL_COLUMN(v, health, hp);
  (void)c, (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i)
    hp[i] = hp[i] * 3 - 70;
}
SHOAL_PLUGIN(.name = "wild", .version = 1, .uses = SHOAL_COMPONENTS(health),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"health"}, .run = grow}))
END
  compile_once wild.so "${CC:-cc}" -std=c11 -O0 -fPIC -shared -I"$root/engine/include" orcs/plugins/wild.c ||
    fail "the plugin does not compile"
  [ "$(hp_after 1 --plugin wild.so)" = 0,50,100 ] || fail "$(cat out err)"
  is_silent
}
it "values that a plugin's system writes are clamped when the system ends" plugin_write
rm -rf orcs/plugins

narrower_save() {
  run_for 20 "$release" run orcs --headless --ticks 2 --save wide.sqlite
  range 0 30
  mv orcs/game.lua start.lua
  echo 'return {}' >orcs/game.lua
  [ "$(hp_after 1 --load wide.sqlite --log info)" = 20,30,30 ] || fail "$(cat out err)"
  mv start.lua orcs/game.lua
  says err "health.hp: 2 values clamped to the range from 0 to 30"
}
it "values of a loaded save are clamped to a narrower range, and their number is reported" narrower_save

narrower_reload() {
  trap stop_program EXIT
  range
  launch "$release" run orcs --headless --watch --log info
  expect_log "seed"
  mark_log
  range 0 30
  expect_log "health.hp: 2 values clamped to the range from 0 to 30"
}
it "a reload clamps existing values to a narrower range and reports their number" narrower_reload

# ---- declarations

refused() { # refused MESSAGE MIN MAX DEFAULT
  message=$1
  shift
  range "$@"
  run_for 20 "$release" run orcs --headless --ticks 1
  exits 1 err "components.lua:1: $message"
}
it "a default outside the field's range is a load error" \
  refused "the default of health.hp must be from 0 to 100, got 101: change the default or the range" 0 100 101
it "an empty range is a load error" refused "health.hp has an empty range: min 5 is greater than max 4" 5 4 4
