# What components, assemblages and systems say of themselves, in words for people. T-machine, "Entity Systems are the
# future of MMOG development", part 5: tables 1 and 3 have a human-readable description.
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

asked() { # asked "SQL": rows without their head
  run_for 20 "$release" sql ./farm "$1"
  exits 0
  sed 1,2d "$tmp/out" >"$tmp/rows"
}
described() { # described TABLE NAME "WORDS"
  asked "SELECT description FROM $1 WHERE name = '$2'"
  [ "$(cat "$tmp/rows")" = "$3" ] || fail "$(cat "$tmp/rows")"
}
it "a component says in words what it is (T-machine, part 5, table 1)" \
  described components yoke "what an animal pulls with; it can be empty"
both() {
  described components barn "the farm's one barn"
  described components bell "bells, by name"
}
it "a single and a component with instances say it too" both
it "a component that says nothing is described by its fields" described components plain "hp:f32"
it "an assemblage says in words what it is (T-machine, part 5, table 3)" described assemblages ox "pulls the plough"
it "what an assemblage says is not said of those that are it" described assemblages calf ""
it "a system says what it does" described systems tires "makes oxen tired"

in_a_save() {
  run_for 20 "$release" run farm --headless --ticks 1 --save farm.sqlite
  exits 0
  run_for 20 "$release" sql farm.sqlite "SELECT c.description, a.description FROM components c, assemblages a
    WHERE c.name = 'yoke' AND a.name = 'ox'"
  exits 0
  says out "what an animal pulls with; it can be empty  pulls the plough"
}
it "a save has the descriptions" in_a_save

definitions() {
  run_for 20 "$release" run farm --headless --ticks 0 --types farm.lua
  exits 0
  luajit -bl farm.lua >/dev/null || fail "no Lua"
  tr '\n' '|' <farm.lua >one
  grep -qF -- "---what an animal pulls with; it can be empty|---@class shoal.Yoke|---@field load number what it pulls (kg)|" \
    one || fail "$(cat farm.lua)"
  says farm.lua "---@field yoke shoal.Yoke"
  ! sed -n '/^---@class shoal.Entity/,/^$/p' farm.lua | grep -q '@field barn ' || fail "a single is no part of an entity"
  sed -n '/^---@class shoal.Singles/,/^$/p' farm.lua | grep -q '@field barn shoal.Barn' || fail "no world.single.barn"
  sed -n '/^---@class shoal.View/,/^$/p' farm.lua | grep -q '@field yoke shoal.YokeColumns' || fail "no columns of yoke"
}
it "the definitions for editors have the descriptions" definitions

a_field() {
  run_for 20 "$release" run farm --headless --ticks 1 --exec 'for e in world.each("note") do return e.note.doc end'
  exits 0
  says out unread
}
it "a field called doc has a type" a_field

refused() { # refused FILE 'LUA' "MESSAGE"
  rm -rf bad
  cp -r farm bad
  echo "$2" >"bad/$1"
  run_for 20 "$release" run bad --headless --ticks 1
  exits 1
  says err "$3"
}
it "an empty doc of a component is an error that says how a field of that name is written" \
  refused components.lua 'return { yoke = { load = 0, doc = "" }, note = {}, plain = {} }' \
  'components.lua:1: doc of yoke must be a description and is empty; declare a field of that name'
it "a doc of an assemblage that is no text is an error with its line" \
  refused assemblages.lua 'return { ox = { doc = 5 } }' 'assemblages.lua:1: doc of ox must be a description'
it "a doc of a system that is no text is an error with its line" \
  refused systems/tires.lua 'return { doc = {}, update = function(dt) end }' \
  'systems/tires.lua:1: doc must be a string, got a table'

# A save from when doc was a field, and a script that reads it.
formerly() {
  cp -r farm old
  sed -i 's/doc = "what an animal.*" }/doc = t.string "rough" }/' old/components.lua
  run_for 20 "$release" run old --headless --ticks 1 --save old.sqlite \
    --exec 'for e in world.each("yoke") do return e.yoke.doc end'
  exits 0
  says out rough
  run_for 20 "$release" run farm --headless --ticks 1 --load old.sqlite \
    --exec 'for e in world.each("yoke") do return e.yoke.doc end'
  exits 1
  says err 'yoke has no field doc: doc = "…" in its declaration describes it; declare a field of that name with a type'
  run_for 20 "$release" run farm --headless --ticks 1 --load old.sqlite --exec 'return world.count("ox")'
  exits 0
  says out 1
}
it "who reads a field doc that is a description now is told so, and the saves of before load" formerly
