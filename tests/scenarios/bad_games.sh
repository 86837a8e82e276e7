# Every bad declaration is a load error that names the file, the line and what is wrong. A table: bad "test name" FILE
# LINE WORD…, with FILE's text from stdin; the rest of the game is right. LINE "-" stands for an error without a line.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
count=0

game() {
  rm -rf "$1"
  mkdir -p "$1/systems" "$1/scenes" "$1/behaviours" "$1/components"
  echo 'return { title = "bad", start = function() world.spawn("thing") end }' >"$1/game.lua"
  echo 'return { motion = { vx = 0, vy = 0 }, score = shoal.types.single { value = 0 }, note = shoal.types.metadata { text = "" } }' \
    >"$1/components.lua"
  echo 'return { thing = { components = { transform = {}, motion = {} } } }' >"$1/assemblages.lua"
  echo 'return { bang = { power = 1 }, hit = { entity = shoal.types.entity } }' >"$1/events.lua"
  echo 'return { fire = { "key:space", "pad:a" } }' >"$1/input.lua"
  echo 'return { query = { "motion" }, update = function(q) return q.count end }' >"$1/systems/mover.lua"
}

refused() { # FOLDER FILE LINE WORD…
  folder=$1 place=$2
  [ "$3" = - ] || place=$2:$3
  shift 3
  run_for 30 "$release" run "$folder" --headless --ticks 3
  exits 1
  says err "$place"
  for word in "$@"; do says err "$word"; done
  [ "$(grep -c '^error' "$tmp/err")" = 1 ] || fail "not one error: $(cat "$tmp/err")"
}

bad() {
  name=$1 file=$2 line=$3
  shift 3
  count=$((count + 1))
  folder=game$count
  game "$folder"
  cat >"$folder/$file"
  it "$name" refused "$folder" "$file" "$line" "$@"
}

right() {
  game right
  run_for 30 "$release" run right --headless --ticks 3
  exits 0
}
it "the game that all the others are variants of is right" right

# ---- components

bad "a field called like a method is refused with its line" components.lua 3 motion destroy "method" <<'END'
return {
  other = { destroyed = 1, add2 = 2 },
  motion = { vx = 0, destroy = 1 },
}
END
for name in alive set remove has children assemblage describe send raw; do
  bad "no field may be called $name" components.lua 2 "$name" <<END
return { motion = { vx = 0 },
  other = { $name = 1 },
}
END
done
for name in count entity instance has name2 state parent describe; do
  [ $name = name2 ] || bad "no component may be called $name" components.lua 3 "$name" <<END
return {
  motion = { vx = 0 },
  $name = { v = 1 },
}
END
done
bad "a built-in component's name is taken" components.lua 2 transform "Shoal's own" <<'END'
return { motion = { vx = 0 },
  transform = { x = 0 } }
END
bad "a default that means nothing is refused" components.lua 4 motion vy "no type" <<'END'
return {
  vy = { vx = 1 },
  motion = { vx = 0,
    vy = function() end },
}
END
bad "an empty table is no default" components.lua 1 motion vx "no type" <<'END'
return { motion = { vx = {} } }
END
bad "an entity has no number for a default" components.lua 2 i32 string <<'END'
return {
  motion = { vx = 0, hp = shoal.types.i32("many") },
}
END
bad "an enum without names is refused" components.lua 2 enum <<'END'
return { motion = {
  mood = shoal.types.enum {} } }
END
bad "an enum that was never called is refused" components.lua 2 mood <<'END'
return { motion = {
  mood = shoal.types.enum } }
END
bad "an enum with the same name twice is refused" components.lua 2 calm <<'END'
return { motion = {
  mood = shoal.types.enum { "calm", "angry", "calm" } } }
END
bad "a component is a table" components.lua 2 motion number <<'END'
return {
  motion = 5,
}
END
bad "a field's name is a word" components.lua 2 "v x" "cannot be the name of field" <<'END'
return { motion = {
  ["v x"] = 1 } }
END
bad "components.lua returns a table" components.lua 1 "return" <<'END'
local motion = { vx = 0 }
END
bad "a vector takes numbers" components.lua 2 vec2 <<'END'
return { motion = {
  aim = shoal.types.vec2("left", 3) } }
END
bad "more columns than there may be" components.lua 3 motion 64 <<'END'
local fields = {}
for i = 1, 70 do fields["f" .. i] = i end
return { motion = fields }
END
twice() {
  game twice
  echo 'return { armour = { v = 1 } }' >twice/components/a.lua
  printf 'return {\n  armour = { w = 1 } }\n' >twice/components/b.lua
  refused twice components/b.lua 2 armour components/a.lua twice
}
it "a component declared in two files names both" twice

# ---- events and input

bad "an event's field has a type" events.lua 2 bang power <<'END'
return { other = { v = 1 },
  bang = { power = {} } }
END
bad "an event's field cannot be called count" events.lua 1 bang count <<'END'
return { bang = { count = 1 } }
END
bad "a built-in event's name is taken" events.lua 2 collision "built-in" <<'END'
return { bang = { v = 1 },
  collision = { v = 1 } }
END
bad "an event is a table of fields" events.lua 1 bang <<'END'
return { bang = shoal.types.single { v = 1 } }
END
bad "a key that does not exist is refused with its line" input.lua 3 "key:spce" fire <<'END'
return {
  jump = { "key:space" },
  fire = { "key:up", "key:spce" },
}
END
bad "a device that does not exist is refused" input.lua 1 "stick:3" <<'END'
return { fire = "stick:3" }
END
bad "an axis has known parts" input.lua 2 lower <<'END'
return { fire = "key:a",
  turn = { axis = "pad:leftx", lower = "key:left" } }
END
bad "input.lua returns a table" input.lua 1 input.lua <<'END'
return 5
END

# ---- assemblages

bad "a value of the wrong type in an assemblage has its line" assemblages.lua 3 motion.vx number <<'END'
return {
  other = { components = { motion = { vx = 1 } } },
  thing = { components = { motion = { vx = "fast" } } },
}
END
bad "a wrong value has the line of its field" assemblages.lua 7 motion.vy number <<'END'
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
bad "a cycle of one names it" assemblages.lua 2 "thing → thing" <<'END'
return { other = { components = {} },
  thing = { is = "thing" } }
END
bad "a cycle through a child names the chain" assemblages.lua - cyclic "tank" <<'END'
return {
  thing = { is = "tank" },
  tank = { children = { turret = { is = "thing" } } },
}
END
bad "an assemblage has known parts" assemblages.lua 2 component thing <<'END'
return { thing = { components = {},
  component = { motion = {} } } }
END
bad "a component that is left out must exist" assemblages.lua 2 moton <<'END'
return { base = { components = { motion = {} } },
  thing = { is = "base", without = { "moton" } } }
END
bad "a single belongs to no assemblage" assemblages.lua 1 score single <<'END'
return { thing = { components = { score = { value = 3 } } } }
END
bad "the initial state must be one" assemblages.lua 2 asleep awake <<'END'
return { thing = { states = {
  initial = "asleep", awake = { motion = {} } } } }
END
bad "states without an initial one are refused" assemblages.lua 1 initial awake <<'END'
return { thing = { states = { awake = { motion = {} } } } }
END
bad "a state's components must exist" assemblages.lua 2 moton <<'END'
return { thing = { states = { initial = "awake",
  awake = { moton = {} } } } }
END
bad "a child is a table" assemblages.lua 1 turret <<'END'
return { thing = { children = { turret = 5 } } }
END
bad "a child's components must exist" assemblages.lua 2 moton <<'END'
return { thing = { children = {
  turret = { components = { moton = {} } } } } }
END
bad "is takes names" assemblages.lua 1 "is" <<'END'
return { thing = { is = { 5 } } }
END
bad "what the host keeps cannot be given" assemblages.lua 1 transform.world <<'END'
return { thing = { components = { transform = { world = { 1 } } } } }
END
bad "an enum's value must be one of its names" assemblages.lua 2 shape.kind circle <<'END'
return { thing = { components = {
  shape = { kind = "hexagon" } } } }
END

# ---- systems

bad "a system has one body" systems/mover.lua 3 update each <<'END'
return { query = { "motion" },
  update = function(q) return q end,
  each = function(e) return e end }
END
bad "a system has known parts" systems/mover.lua 2 udpate update <<'END'
return { query = { "motion" },
  udpate = function(q) return q end }
END
bad "a part of the wrong type is refused" systems/mover.lua 2 query string <<'END'
return { update = function(q) return q end,
  query = "motion" }
END
bad "each needs a query" systems/mover.lua 1 each query <<'END'
return { each = function(e) return e end }
END
bad "query and queries are not for one system" systems/mover.lua 2 queries <<'END'
return { query = { "motion" },
  queries = { a = { "motion" } } }
END
bad "an event that nobody declared is refused" systems/mover.lua 3 bong bang <<'END'
return { query = { "motion" },
  on = {
    bong = function(ev) return ev end,
  } }
END
bad "a handler is a function" systems/mover.lua 2 bang <<'END'
return { on = {
  bang = true } }
END
bad "a query has known parts" systems/mover.lua 1 "with_out" <<'END'
return { query = { "motion", with_out = { "transform" } }, update = function(q) return q end }
END
bad "a query on a single says how it is read" systems/mover.lua 2 score world.single.score <<'END'
return { update = function(q) return q end,
  query = { "score" } }
END
bad "a query on metadata says that it is not loaded" systems/mover.lua 1 note metadata <<'END'
return { query = { "note" }, update = function(q) return q end }
END
bad "every is a whole number" systems/mover.lua 1 every <<'END'
return { every = 2.5, update = function() end }
END
bad "when on a single that is not there names the nearest" systems/mover.lua 2 "there is no single scoer" "did you mean score?" <<'END'
return {
  when = { scoer = { value = 1 } }, update = function() end }
END
bad "when on a field that is not there names the nearest" systems/mover.lua 3 "score has no field valeu" "did you mean value?" <<'END'
return {
  when = { score = {
    valeu = 1 } }, update = function() end }
END
bad "when on a value that the field cannot have is refused" systems/mover.lua 2 "score.value must be a number, got" '"high"' <<'END'
return {
  when = { score = { value = { 1, "high" } } }, update = function() end }
END
bad "when on a component of entities is refused" systems/mover.lua 2 "motion is not a single" <<'END'
return { query = { "motion" },
  when = { motion = { vx = 0 } }, update = function() end }
END
bad "when on nothing is refused" systems/mover.lua 2 "score needs a field and its value" <<'END'
return {
  when = { score = {} }, update = function() end }
END
bad "a system on demand has no turn to hear events in" systems/mover.lua 2 "mover runs on demand and cannot have on" <<'END'
return { phase = "demand", update = function() end,
  on = { bang = function() end } }
END
bad "a system on demand has something to run" systems/mover.lua 1 "mover runs on demand and has nothing to run" <<'END'
return { phase = "demand", query = { "motion" } }
END
bad "a function gives values in a state only" assemblages.lua 2 motion "a function may give values only in a state" <<'END'
return { thing = { components = {
  motion = function() end } } }
END
bad "keep belongs to a state" assemblages.lua 2 motion "keep = true is allowed only in a component of a state" <<'END'
return { thing = { components = {
  motion = { keep = true } } } }
END
bad "keep is true or false" assemblages.lua 3 motion "keep must be true or false, got yes" <<'END'
return { thing = { states = { initial = "a",
  a = {
    motion = { keep = "yes" } } } } }
END
bad "priority is a whole number" systems/mover.lua 1 priority <<'END'
return { priority = 1e12, update = function() end }
END
bad "after and before name systems that there are" systems/mover.lua 2 mvoer mover <<'END'
return { update = function() end,
  before = { "mvoer" } }
END
bad "after takes names" systems/mover.lua 1 after <<'END'
return { after = { {} }, update = function() end }
END
bad "a system's file returns a table" systems/mover.lua 1 "return" <<'END'
local x = 1
END
bad "an error while a file is read has its line" systems/mover.lua 3 "'t'" <<'END'
local function setup()
  local t = nil
  return t.oops
end
return { update = setup() }
END
bad "the world is not there while files are read" systems/mover.lua 2 world.spawn "start" <<'END'
local t = {}
t.e = world.spawn("thing")
return { update = function() end }
END
bad "a query of a file is refused while files are read" systems/mover.lua 1 world.query <<'END'
local q = world.query { "motion" }
return { update = function() return q end }
END
bad "a global of a file is named with its line" systems/mover.lua 2 speed <<'END'
local t = { 1 }
speed = 5
return { update = function() return t end }
END

# ---- behaviours and scenes

bad "a behaviour has known parts" behaviours/guard.lua 2 udpate update <<'END'
return { fields = { timer = 0 },
  udpate = function(self) return self end }
END
bad "any without an event to hear" behaviours/guard.lua 2 "any = true needs at least one event in on" <<'END'
return {
  any = true,
}
END
bad "any is true or false" behaviours/guard.lua 2 "any must be a boolean, got a string" <<'END'
return { on = { hit = function(self, ev) end },
  any = "all",
}
END
bad "what a behaviour draws with is called with self first" behaviours/guard.lua 2 "render takes self first" <<'END'
return {
  render = function(dt) return dt end }
END
bad "a behaviour's fields are a schema" behaviours/guard.lua 2 timer <<'END'
return { fields = {
  timer = function() end } }
END
bad "a scene's assemblages must exist" scenes/one.lua 1 thingy <<'END'
return { entities = { { assemblage = "thing" }, { assemblage = "thingy" } } }
END
bad "an entity of a scene is no list" scenes/one.lua 3 'entity 2: write { assemblage = "thing", components = { … } } instead of a list' <<'END'
return { entities = {
  { assemblage = "thing" },
  { "thing", { transform = { x = 10 } } } } }
END
bad "a scene in Lua names the line of a fault" scenes/one.lua 6 "entity 2 (thing): x must be a number" <<'END'
local first = { assemblage = "thing" } -- of which the reader has no line
return { entities = { first,
  { assemblage = "thing",
    -- a comment, { and } in it
    components = {
      transform = { y = 1, x = "}" },
    } } } }
END
bad "a scene cannot contain a function" scenes/one.lua 2 "entity 1: a scene cannot contain a function" <<'END'
return { entities = {
  { assemblage = "thing", components = { transform = { x = math.random } } } } }
END
bad "a scene's entities have no gaps" scenes/one.lua 1 "entities must be a list without gaps" <<'END'
return { entities = { nil, { assemblage = "thing" } } }
END
bad "a scene has known parts" scenes/one.lua 1 entity <<'END'
return { entity = {} }
END

# ---- the game

bad "game.lua returns a table" game.lua 1 table <<'END'
print("hello")
END
bad "game.lua has known parts" game.lua 2 titel title <<'END'
return { width = 640,
  titel = "My game" }
END
bad "a part of game.lua has its type" game.lua 2 width number <<'END'
return { title = "x",
  width = "wide" }
END
bad "a width of none is refused" game.lua 1 width <<'END'
return { width = 0 }
END
bad "a first scene that is not there is refused" game.lua 1 scenes/attic.lua <<'END'
return { scene = "attic" }
END
bad "a syntax error in game.lua has its line" game.lua 3 "near" <<'END'
return {
  title = "x",
  width = = 5,
}
END
bad "a module that is not there is an error where it is asked for" systems/mover.lua 2 lib.nobody <<'END'
local t = {}
t.lib = require("lib.nobody")
return { update = function() end }
END
broken_module() {
  game module
  mkdir module/lib
  printf 'local M = {}\nM.x = = 5\nreturn M\n' >module/lib/util.lua
  echo 'require("lib.util") return { update = function() end }' >module/systems/mover.lua
  refused module lib/util.lua 2 near
  printf 'local M = {}\n\nM.x = M.y.z\nreturn M\n' >module/lib/util.lua
  refused module lib/util.lua 3 "'y'"
}
it "a mistake in a module is placed in the module" broken_module
