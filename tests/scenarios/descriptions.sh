# Descriptions (`doc`) of components, assemblages and systems, based on T-machine, "Entity Systems are the future of
# MMOG development", part 5, whose tables 1 and 3 have a human-readable description.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf farm old
mkdir -p farm/systems
echo 'return { id = "farm", start = function() world.spawn("ox") end }' >farm/game.lua
cat >farm/components.lua <<'END'
local t = shoal.types
return {
  yoke = { load = t.f32(0, { unit = "kg", doc = "what it pulls" }), doc = "what an animal pulls with; it can be empty" },
  barn = t.single { hay = t.i32(4), doc = "the farm's one barn" },
  bell = t.many { pitch = 1, doc = "bells, by name" },
  plain = { hp = 1 },
  note = { text = "", doc = t.string "unread" },
}
END
cat >farm/assemblages.lua <<'END'
return {
  ox = { doc = "pulls the plough", components = { yoke = {}, note = {} } },
  calf = { is = "ox", components = { plain = {} } },
}
END
echo 'return { doc = "makes oxen tired", query = { "yoke" }, each = function(e) end }' >farm/systems/tires.lua

query() { # query SQL: writes the rows, without the column names, to $tmp/rows
  run_for 20 "$release" sql ./farm "$1"
  exits 0
  sed 1,2d "$tmp/out" >"$tmp/rows"
}
has_description() { # has_description TABLE NAME TEXT
  query "SELECT description FROM $1 WHERE name = '$2'"
  [ "$(cat "$tmp/rows")" = "$3" ] || fail "$(cat "$tmp/rows")"
}
it "the doc of a component is its description in SQL" \
  has_description components yoke "what an animal pulls with; it can be empty"
single_and_many() {
  has_description components barn "the farm's one barn"
  has_description components bell "bells, by name"
}
it 'the doc of singletons and of `many` components is their description in SQL' single_and_many
it "the description of a component without doc lists its fields" has_description components plain "hp:f32"
it "the doc of an assemblage is its description in SQL" has_description assemblages ox "pulls the plough"
it "an assemblage does not inherit its base's doc" has_description assemblages calf ""
it "the doc of a system is its description in SQL" has_description systems tires "makes oxen tired"

description_in_save() {
  run_for 20 "$release" run farm --headless --ticks 1 --save farm.sqlite
  exits 0
  run_for 20 "$release" sql farm.sqlite "SELECT c.description, a.description FROM components c, assemblages a
    WHERE c.name = 'yoke' AND a.name = 'ox'"
  exits 0 out "what an animal pulls with; it can be empty  pulls the plough"
}
it "a save contains the descriptions of components and assemblages" description_in_save

type_definitions() {
  run_for 20 "$release" run farm --headless --ticks 0 --types farm.lua
  exits 0
  luajit -bl farm.lua >/dev/null || fail "farm.lua is not valid Lua"
  tr '\n' '|' <farm.lua >one
  grep -qF -- "---what an animal pulls with; it can be empty|---@class shoal.Yoke|---@field load number what it pulls (kg)|" \
    one || fail "$(cat farm.lua)"
  says farm.lua "---@field yoke shoal.Yoke"
  ! sed -n '/^---@class shoal.Entity/,/^$/p' farm.lua | grep -q '@field barn ' || fail "entities must not have a field for a single"
  sed -n '/^---@class shoal.Singles/,/^$/p' farm.lua | grep -q '@field barn shoal.Barn' || fail "world.single.barn is missing"
  sed -n '/^---@class shoal.View/,/^$/p' farm.lua | grep -q '@field yoke shoal.YokeColumns' || fail "the columns of yoke are missing"
}
it "the generated type definitions contain the descriptions of components and fields" type_definitions

field_named_doc() {
  run_for 20 "$release" run farm --headless --ticks 1 --exec 'for e in world.each("note") do return e.note.doc end'
  exits 0 out unread
}
it "the key doc declares a field named doc if its value is a type" field_named_doc

reports_error() { # reports_error FILE LUA MESSAGE
  rm -rf bad
  cp -r farm bad
  echo "$2" >"bad/$1"
  run_for 20 "$release" run bad --headless --ticks 1
  exits 1 err "$3"
}
it "an empty doc of a component is rejected, and the error explains how to declare a field named doc" \
  reports_error components.lua 'return { yoke = { load = 0, doc = "" }, note = {}, plain = {} }' \
  'components.lua:1: doc of yoke is empty: write a description, or declare a field of that name'
it "an assemblage's doc that is not a string is reported with its line" \
  reports_error assemblages.lua 'return { ox = { doc = 5 } }' 'assemblages.lua:1: doc of ox must be a description'
it "a system's doc that is not a string is reported with its line" \
  reports_error systems/tires.lua 'return { doc = {}, update = function(dt) end }' \
  'systems/tires.lua:1: doc must be a string, got a table'

# A save of a game in which doc was a field, and a script that reads that field.
former_field() {
  cp -r farm old
  sed -i 's/doc = "what an animal.*" }/doc = t.string "rough" }/' old/components.lua
  run_for 20 "$release" run old --headless --ticks 1 --save old.sqlite \
    --exec 'for e in world.each("yoke") do return e.yoke.doc end'
  exits 0 out rough
  run_for 20 "$release" run farm --headless --ticks 1 --load old.sqlite \
    --exec 'for e in world.each("yoke") do return e.yoke.doc end'
  exits 1
  says err 'yoke has no field doc: doc = "…" in its declaration describes it; declare a field of that name with a type'
  run_for 20 "$release" run farm --headless --ticks 1 --load old.sqlite --exec 'return world.count("ox")'
  exits 0 out 1
}
it "a read of a field doc that has become a description is an error that explains the change, and old saves load" \
  former_field
