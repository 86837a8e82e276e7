# Invalid declarations, each of which is a load error that names the file, the line and the problem. A test is
# `bad "test name" FILE LINE TEXT…` with FILE's contents on stdin; all other files of the game are valid. The error must
# contain each TEXT, and no line number if LINE is "-".
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
count=0

game() {
  rm -rf "$1"
  mkdir -p "$1/systems" "$1/scenes" "$1/behaviours" "$1/components"
  echo 'return { title = "invalid", start = function() world.spawn("thing") end }' >"$1/game.lua"
  echo 'return { motion = { vx = 0, vy = 0 }, score = shoal.types.single { value = 0 }, note = shoal.types.metadata { text = "" }, glider = { requires = { "transform" } }, bag = { items = shoal.types.list(shoal.types.u8, 2) } }' \
    >"$1/components.lua"
  echo 'return { thing = { components = { transform = {}, motion = {} } } }' >"$1/assemblages.lua"
  echo 'return { bang = { power = 1 }, hit = { entity = shoal.types.entity } }' >"$1/events.lua"
  echo 'return { fire = { "key:space", "pad:a" } }' >"$1/input.lua"
  echo 'return { query = { "motion" }, update = function(q) return q.count end }' >"$1/systems/mover.lua"
}

reports_error() { # reports_error FOLDER FILE LINE TEXT…
  folder=$1 place=$2
  [ "$3" = - ] || place=$2:$3
  shift 3
  run_for 30 "$release" run "$folder" --headless --ticks 3
  exits 1 err "$place"
  for word in "$@"; do says err "$word"; done
  [ "$(grep -c '^error' "$tmp/err")" = 1 ] || fail "expected one error, got: $(cat "$tmp/err")"
}

bad() {
  name=$1 file=$2 line=$3
  shift 3
  count=$((count + 1))
  folder=game$count
  game "$folder"
  cat >"$folder/$file"
  it "$name" reports_error "$folder" "$file" "$line" "$@"
}

valid_game() {
  game valid
  run_for 30 "$release" run valid --headless --ticks 3
  exits 0
}
it "the unmodified test game loads without an error" valid_game

# ---- components

bad "a field named like a method is a load error at its line" components.lua 3 motion destroy "method" <<'END'
return {
  other = { destroyed = 1, add2 = 2 },
  motion = { vx = 0, destroy = 1 },
}
END
bad "two fields with the same flattened name are a load error" components.lua 3 "colors.r and colors_r" <<'END'
return {
  look = { colors = { r = 0 },
    colors_r = 1 },
}
END
bad "records more than 8 deep are a load error" components.lua 1 "look.a.a.a.a.a.a.a.a.a" "at most 8 levels deep" <<'END'
return { look = { a = { a = { a = { a = { a = { a = { a = { a = { a = { b = 1 } } } } } } } } } } }
END
bad "cyclic requirements are a load error with the cycle" components.lua 4 "cyclic requires: a → b → c → a" <<'END'
return {
  motion = { vx = 0 },
  a = { requires = { "b" } },
  b = { requires = { "motion", "c" } }, c = { requires = "a" },
}
END
bad "an unknown required component is a load error with the nearest name" components.lua 2 \
  "requires of glider: unknown component transfrom" "did you mean transform?" <<'END'
return { motion = { vx = 0 },
  glider = { lift = 1, requires = { "transfrom" } },
}
END
bad "a component that requires itself is a load error" components.lua 1 "motion requires itself" <<'END'
return { motion = { vx = 0, requires = { "motion" } } }
END
bad "a required singleton is a load error" components.lua 2 "motion requires score, which is a singleton" <<'END'
return { score = shoal.types.single { value = 0 },
  motion = { vx = 0, requires = { "score" } },
}
END
bad "a singleton that requires components is a load error" components.lua 2 "score cannot require components" <<'END'
return { motion = { vx = 0 },
  score = shoal.types.single { requires = { "motion" }, value = 0 },
}
END
bad "a non-list in the field requires is a load error" components.lua 1 "must be a list of component names" <<'END'
return { motion = { vx = 0, requires = { transform = true } } }
END
bad "a required component that a cascade can remove is a load error" components.lua 2 \
  "motion requires bond, which is removed when the entity in its field to is destroyed" <<'END'
return { bond = { to = shoal.types.entity { cascade = "remove" } },
  motion = { vx = 0, requires = { "bond" } },
}
END
bad "the key requires in a behaviour's fields is a load error" behaviours/guard.lua 1 "belongs next to fields" <<'END'
return { fields = { timer = 2, requires = { "transform" } } }
END
bad "an assemblage without a required component is a load error" assemblages.lua 3 \
  "kite cannot be without transform, which its glider requires" <<'END'
return {
  base = { components = { glider = {} } },
  kite = { is = "base", without = { "transform" } },
}
END
bad "a state that would remove a required component is a load error" assemblages.lua 4 \
  "leaving the state up of kite would remove transform, which its glider requires" <<'END'
return {
  kite = { components = { glider = {} }, states = { initial = "up",
    up = {
      transform = { x = 1 } },
    down = {} } },
}
END
bad "a list as a default is a load error that names t.list" components.lua 2 "items of bag" \
  "items = t.list(t.f32, 5, { … })" <<'END'
return {
  bag = { items = { 1, 2, 3, 4, 5 } },
}
END
bad "a list of strings as a default is a load error that names t.list" components.lua 1 "t.list(t.string, 1, { … })" <<'END'
return { bag = { items = { "a" } } }
END
bad "a list capacity of 64 is a load error that explains the limit" components.lua 1 "must be from 1 to 63, got 64" \
  "at most 64 columns" <<'END'
return { bag = { items = shoal.types.list(shoal.types.u32, 64) } }
END
bad "a component whose list and fields need 65 columns is a load error" components.lua 3 "too many columns in bag: 65 (at most 64)" <<'END'
return { bag = {
  a = 1,
  items = shoal.types.list(shoal.types.u32, 63),
} }
END
bad "a list of vectors is a load error" components.lua 1 "got t.vec2" <<'END'
return { bag = { items = shoal.types.list(shoal.types.vec2, 4) } }
END
bad "a list's default with more values than its capacity is a load error" components.lua 1 "3 (at most 2)" <<'END'
return { bag = { items = shoal.types.list(shoal.types.u8, 2, { 1, 2, 3 }) } }
END
bad "a list's default with a value out of range is a load error" components.lua 1 "value 2" "out of the range" <<'END'
return { bag = { items = shoal.types.list(shoal.types.u8(1, { min = 1, max = 6 }), 2, { 1, 0 }) } }
END
bad "a list and a field with the same flattened name are a load error" components.lua 1 "items_count" <<'END'
return { bag = { items = shoal.types.list(shoal.types.u8, 2), items_count = 1 } }
END
bad "a list in settings is a load error" settings.lua 1 "cannot be a list" <<'END'
return { best = shoal.types.list(shoal.types.u8, 2) }
END
bad "too many values for a list in an assemblage are a load error" assemblages.lua 2 "too many values for bag.items: 3 (at most 2)" <<'END'
return {
  thing = { components = { bag = { items = { 1, 2, 3 } } } },
}
END
for name in alive set remove has children assemblage describe send raw; do
  bad "a field named $name is a load error" components.lua 2 "$name" <<END
return { motion = { vx = 0 },
  other = { $name = 1 },
}
END
done
for name in count entity instance has name2 state parent describe; do
  [ $name = name2 ] || bad "a component named $name is a load error" components.lua 3 "$name" <<END
return {
  motion = { vx = 0 },
  $name = { v = 1 },
}
END
done
bad "a component named like a built-in component is a load error" components.lua 2 transform "already declared by Shoal" <<'END'
return { motion = { vx = 0 },
  transform = { x = 0 } }
END
bad "a default of NaN is a load error at the line of the field" components.lua 3 \
  "the default of motion.vy must be a number, got nan: check for a division by zero" <<'END'
return {
  motion = { vx = 0,
    vy = 0 / 0 },
}
END
bad "a vector's default with NaN is a load error" components.lua 2 "the default of other.at must be a number, got nan" <<'END'
return { motion = { vx = 0 },
  other = { at = { 1, 0 / 0 } } }
END
bad "a NaN in an assemblage is a load error at the line of the field" assemblages.lua 3 \
  "motion.vx must be a number, got nan: check for a division by zero" <<'END'
return { thing = { components = {
  transform = {},
  motion = { vx = 0 / 0 },
} } }
END
bad "a field whose default is a function is a load error at its line" components.lua 4 motion vy "no type" <<'END'
return {
  vy = { vx = 1 },
  motion = { vx = 0,
    vy = function() end },
}
END
bad "a field whose default is an empty table is a load error" components.lua 1 motion vx "no type" <<'END'
return { motion = { vx = {} } }
END
bad "an i32 field whose default is a string is a load error" components.lua 2 i32 "got text" <<'END'
return {
  motion = { vx = 0, hp = shoal.types.i32("many") },
}
END
bad "an enum without choices is a load error" components.lua 2 enum <<'END'
return { motion = {
  mood = shoal.types.enum {} } }
END
bad "an enum type without its list of choices is a load error" components.lua 2 mood <<'END'
return { motion = {
  mood = shoal.types.enum } }
END
bad "an enum with a duplicate choice is a load error" components.lua 2 calm <<'END'
return { motion = {
  mood = shoal.types.enum { "calm", "angry", "calm" } } }
END
bad "a component that is a number is a load error" components.lua 2 motion "got 5" <<'END'
return {
  motion = 5,
}
END
bad "a field name with a space is a load error" components.lua 2 "v x" "cannot be the name of field" <<'END'
return { motion = {
  ["v x"] = 1 } }
END
bad "a components.lua without a return is a load error" components.lua 1 "return" <<'END'
local motion = { vx = 0 }
END
bad "a vector whose default is a string is a load error" components.lua 2 vec2 <<'END'
return { motion = {
  aim = shoal.types.vec2("left", 3) } }
END
bad "a component with more than 64 columns is a load error" components.lua 3 motion 64 <<'END'
local fields = {}
for i = 1, 70 do fields["f" .. i] = i end
return { motion = fields }
END
twice() {
  game twice
  echo 'return { armour = { v = 1 } }' >twice/components/a.lua
  printf 'return {\n  armour = { w = 1 } }\n' >twice/components/b.lua
  reports_error twice components/b.lua 2 armour components/a.lua "two components are named"
}
it "a component declared in two files is a load error that names both files" twice

# ---- events and input

bad "an event field without a type is a load error" events.lua 2 bang power <<'END'
return { other = { v = 1 },
  bang = { power = {} } }
END
bad "an event field named count is a load error" events.lua 1 bang count <<'END'
return { bang = { count = 1 } }
END
bad "an event named like a built-in event is a load error" events.lua 2 collision "is already declared by Shoal" <<'END'
return { bang = { v = 1 },
  collision = { v = 1 } }
END
bad "an event declared as a singleton is a load error" events.lua 1 bang <<'END'
return { bang = shoal.types.single { v = 1 } }
END
bad "an unknown key in input.lua is a load error at its line" input.lua 3 "key:spce" fire <<'END'
return {
  jump = { "key:space" },
  fire = { "key:up", "key:spce" },
}
END
bad "an unknown device in input.lua is a load error" input.lua 1 "stick:3" <<'END'
return { fire = "stick:3" }
END
bad "an unknown field of an axis is a load error" input.lua 2 lower <<'END'
return { fire = "key:a",
  turn = { axis = "pad:leftx", lower = "key:left" } }
END
bad "an unknown field of a list of bindings is a load error" input.lua 2 "hiden" \
  "available: held, hidden, presses" <<'END'
return { fire = "key:a",
  skip = { "key:space", hiden = true } }
END
bad "a non-boolean in the field hidden is a load error" input.lua 1 "hidden must be a boolean" <<'END'
return { turn = { axis = "pad:leftx", hidden = "yes" } }
END
bad "an action that presses buttons of an unknown event is a load error" input.lua 2 "presses: unknown event" resum \
  <<'END'
return { fire = "key:a",
  pause = { "key:p", presses = "resum" } }
END
bad "a non-string in the field presses is a load error" input.lua 1 "presses must be the name of an event" <<'END'
return { pause = { "key:p", presses = true } }
END
bad "an axis with the field presses is a load error" input.lua 1 "an axis has no field presses" <<'END'
return { turn = { axis = "pad:leftx", presses = "resume" } }
END
bad "an input.lua that returns a number is a load error" input.lua 1 input.lua <<'END'
return 5
END

# ---- assemblages

bad "a value of the wrong type in an assemblage is a load error at its line" assemblages.lua 3 motion.vx number <<'END'
return {
  other = { components = { motion = { vx = 1 } } },
  thing = { components = { motion = { vx = "fast" } } },
}
END
bad "a value of the wrong type in a nested table is reported at the line of its field" assemblages.lua 7 motion.vy number <<'END'
return {
  other = { components = { motion = { vy = 1 } } },
  thing = {
    components = {
      motion = {
        vx = 1,
        vy = "fast",
      },
    },
  },
}
END
bad "an assemblage based on itself is a load error that names the cycle" assemblages.lua 2 "thing → thing" <<'END'
return { other = { components = {} },
  thing = { is = "thing" } }
END
bad "an assemblage cycle through a child is a load error that names the cycle" assemblages.lua - cyclic "tank" <<'END'
return {
  thing = { is = "tank" },
  tank = { children = { turret = { is = "thing" } } },
}
END
bad "an unknown field of an assemblage is a load error" assemblages.lua 2 component thing <<'END'
return { thing = { components = {},
  component = { motion = {} } } }
END
bad "an unknown component in the field without is a load error" assemblages.lua 2 moton <<'END'
return { base = { components = { motion = {} } },
  thing = { is = "base", without = { "moton" } } }
END
bad "a singleton in an assemblage is a load error" assemblages.lua 1 score single <<'END'
return { thing = { components = { score = { value = 3 } } } }
END
bad "an initial state that is not declared is a load error" assemblages.lua 2 asleep awake <<'END'
return { thing = { states = {
  initial = "asleep", awake = { motion = {} } } } }
END
bad "states without an initial state are a load error" assemblages.lua 1 initial awake <<'END'
return { thing = { states = { awake = { motion = {} } } } }
END
bad "an unknown component in a state is a load error" assemblages.lua 2 moton <<'END'
return { thing = { states = { initial = "awake",
  awake = { moton = {} } } } }
END
bad "a child declared as a number is a load error" assemblages.lua 1 turret <<'END'
return { thing = { children = { turret = 5 } } }
END
bad "an unknown component of a child is a load error" assemblages.lua 2 moton <<'END'
return { thing = { children = {
  turret = { components = { moton = {} } } } } }
END
bad "an assemblage whose base is a number is a load error" assemblages.lua 1 "is" <<'END'
return { thing = { is = { 5 } } }
END
bad "a value for a read-only field of transform is a load error" assemblages.lua 1 transform.world <<'END'
return { thing = { components = { transform = { world = { 1 } } } } }
END
bad "an unknown enum choice in an assemblage is a load error" assemblages.lua 2 shape.kind circle <<'END'
return { thing = { components = {
  shape = { kind = "hexagon" } } } }
END

# ---- systems

bad "a system with both functions update and each is a load error" systems/mover.lua 3 update each <<'END'
return { query = { "motion" },
  update = function(q) return q end,
  each = function(e) return e end }
END
bad "an unknown field of a system is a load error" systems/mover.lua 2 udpate update <<'END'
return { query = { "motion" },
  udpate = function(q) return q end }
END
bad "a query that is a string is a load error" systems/mover.lua 2 query "got text" <<'END'
return { update = function(q) return q end,
  query = "motion" }
END
bad "a system with the function each but no query is a load error" systems/mover.lua 1 each query <<'END'
return { each = function(e) return e end }
END
bad "a system with both fields query and queries is a load error" systems/mover.lua 2 queries <<'END'
return { query = { "motion" },
  queries = { a = { "motion" } } }
END
bad "a handler of an undeclared event is a load error" systems/mover.lua 3 bong bang <<'END'
return { query = { "motion" },
  on = {
    bong = function(ev) return ev end,
  } }
END
bad "an event handler that is a boolean is a load error" systems/mover.lua 2 bang <<'END'
return { on = {
  bang = true } }
END
bad "an unknown field of a query is a load error" systems/mover.lua 1 "with_out" <<'END'
return { query = { "motion", with_out = { "transform" } }, update = function(q) return q end }
END
bad "a query for a singleton is a load error that suggests world.single" systems/mover.lua 2 score world.single.score <<'END'
return { update = function(q) return q end,
  query = { "score" } }
END
bad "a query for a metadata component is a load error" systems/mover.lua 1 note metadata <<'END'
return { query = { "note" }, update = function(q) return q end }
END
bad "a fraction in the field every of a system is a load error" systems/mover.lua 1 every <<'END'
return { every = 2.5, update = function() end }
END
bad "an unknown singleton in a system's condition is a load error that suggests the nearest name" systems/mover.lua 2 "unknown singleton scoer" "did you mean score?" <<'END'
return {
  when = { scoer = { value = 1 } }, update = function() end }
END
bad "an unknown field in a system's condition is a load error that suggests the nearest name" systems/mover.lua 3 "score has no field valeu" "did you mean value?" <<'END'
return {
  when = { score = {
    valeu = 1 } }, update = function() end }
END
bad "a value of the wrong type in a system's condition is a load error" systems/mover.lua 2 "score.value must be a number, got" '"high"' <<'END'
return {
  when = { score = { value = { 1, "high" } } }, update = function() end }
END
bad "a component in a system's condition that is not a singleton is a load error" systems/mover.lua 2 "every entity has its own motion" <<'END'
return { query = { "motion" },
  when = { motion = { vx = 0 } }, update = function() end }
END
bad "a singleton without a field in a system's condition is a load error" systems/mover.lua 2 "score must have a field and its value" <<'END'
return {
  when = { score = {} }, update = function() end }
END
bad "an on-demand system with an event handler is a load error" systems/mover.lua 2 "mover runs on demand and cannot have on" <<'END'
return { phase = "demand", update = function() end,
  on = { bang = function() end } }
END
bad "an on-demand system without a function is a load error" systems/mover.lua 1 "mover runs on demand and has nothing to run" <<'END'
return { phase = "demand", query = { "motion" } }
END
bad "a function that computes a component's values outside a state is a load error" assemblages.lua 2 motion "a function can compute values only in a state" <<'END'
return { thing = { components = {
  motion = function() end } } }
END
bad "keep = true outside a state is a load error" assemblages.lua 2 motion "keep = true is allowed only in a component of a state" <<'END'
return { thing = { components = {
  motion = { keep = true } } } }
END
bad "a non-boolean in the field keep is a load error" assemblages.lua 3 motion "keep must be true or false, got text" <<'END'
return { thing = { states = { initial = "a",
  a = {
    motion = { keep = "yes" } } } } }
END
bad "an out-of-range priority is a load error" systems/mover.lua 1 priority <<'END'
return { priority = 1e12, update = function() end }
END
bad "an unknown system in the field before is an error with the nearest name" systems/mover.lua 2 mvoer mover <<'END'
return { update = function() end,
  before = { "mvoer" } }
END
bad "a table among the names in the field after is a load error" systems/mover.lua 1 after <<'END'
return { after = { {} }, update = function() end }
END
bad "a system file without a return is a load error" systems/mover.lua 1 "return" <<'END'
local x = 1
END
bad "a runtime error while a file loads is reported at its line" systems/mover.lua 3 "'t'" <<'END'
local function setup()
  local t = nil
  return t.oops
end
return { update = setup() }
END
bad "world.spawn called while a file loads is an error that names start" systems/mover.lua 2 world.spawn "start" <<'END'
local t = {}
t.e = world.spawn("thing")
return { update = function() end }
END
bad "world.query called while a file loads is a load error" systems/mover.lua 1 world.query <<'END'
local q = world.query { "motion" }
return { update = function() return q end }
END
bad "an assignment to a global is a load error at its line" systems/mover.lua 2 speed <<'END'
local t = { 1 }
speed = 5
return { update = function() return t end }
END

# ---- behaviours and scenes

bad "an unknown field of a behaviour is a load error" behaviours/guard.lua 2 udpate update <<'END'
return { fields = { timer = 0 },
  udpate = function(self) return self end }
END
bad "a behaviour with any = true but without an event handler is a load error" behaviours/guard.lua 2 "any = true requires at least one event in on" <<'END'
return {
  any = true,
}
END
bad "a non-boolean in a behaviour's field any is a load error" behaviours/guard.lua 2 "any must be a boolean, got text" <<'END'
return { on = { hit = function(self, ev) end },
  any = "all",
}
END
bad "a behaviour's render function without the parameter self is a load error" behaviours/guard.lua 2 "the first parameter of render must be self" <<'END'
return {
  render = function(dt) return dt end }
END
bad "a behaviour field whose default is a function is a load error" behaviours/guard.lua 2 timer <<'END'
return { fields = {
  timer = function() end } }
END
bad "an unknown assemblage in a scene is a load error" scenes/one.lua 1 thingy <<'END'
return { entities = { { assemblage = "thing" }, { assemblage = "thingy" } } }
END
bad "a scene entity that is written as a list is a load error that shows the correct form" scenes/one.lua 3 'entity 2: write { assemblage = "thing", components = { … } } instead of a list' <<'END'
return { entities = {
  { assemblage = "thing" },
  { "thing", { transform = { x = 10 } } } } }
END
bad "a value of the wrong type in a Lua scene is reported at its line" scenes/one.lua 6 "entity 2 (thing): x must be a number" <<'END'
local first = { assemblage = "thing" } -- not a literal in the list, so it has no line
return { entities = { first,
  { assemblage = "thing",
    -- a comment with { and }
    components = {
      transform = { y = 1, x = "}" },
    } } } }
END
bad "a function in a scene is a load error" scenes/one.lua 2 "entity 1: a scene cannot contain a function" <<'END'
return { entities = {
  { assemblage = "thing", components = { transform = { x = math.random } } } } }
END
bad "a gap in a scene's list of entities is a load error" scenes/one.lua 1 "entities must be a list without gaps" <<'END'
return { entities = { nil, { assemblage = "thing" } } }
END
bad "an unknown field of a scene is a load error" scenes/one.lua 1 entity <<'END'
return { entity = {} }
END

# ---- the game

bad "a game.lua without a return is a load error" game.lua 1 table <<'END'
print("hello")
END
bad "an unknown field of game.lua is a load error" game.lua 2 titel title <<'END'
return { width = 640,
  titel = "My game" }
END
bad "a field of the wrong type in game.lua is a load error" game.lua 2 width number <<'END'
return { title = "x",
  width = "wide" }
END
bad "a width of 0 is a load error" game.lua 1 width <<'END'
return { width = 0 }
END
bad "a first scene without a file is a load error" game.lua 1 scenes/attic.lua <<'END'
return { scene = "attic" }
END
bad "a syntax error in game.lua is reported at its line" game.lua 3 "near" <<'END'
return {
  title = "x",
  width = = 5,
}
END
bad "a missing module is reported at the line of the require call" systems/mover.lua 2 lib.nobody <<'END'
local t = {}
t.lib = require("lib.nobody")
return { update = function() end }
END
broken_module() {
  game module
  mkdir module/lib
  printf 'local M = {}\nM.x = = 5\nreturn M\n' >module/lib/util.lua
  echo 'require("lib.util") return { update = function() end }' >module/systems/mover.lua
  reports_error module lib/util.lua 2 near
  printf 'local M = {}\n\nM.x = M.y.z\nreturn M\n' >module/lib/util.lua
  reports_error module lib/util.lua 3 "'y'"
}
it "an error in a module is reported at its line in the module's file" broken_module
