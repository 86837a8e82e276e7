# Schemas and assemblages edited while the game runs: what happens to existing rows and entities.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
cd "$tmp" || exit 1

file() { # file NAME: writes stdin to this file of the game
  mkdir -p "$(dirname "$game/$1")"
  cat >"$game/$1.new" && mv "$game/$1.new" "$game/$1"
}

# start_game PROBE: starts the game with a system that passes PROBE, a list of Lua expressions, to log.info every 512
# ticks. components.lua, assemblages.lua and start.lua must exist.
start_game() {
  trap stop_program EXIT
  file game.lua <<'END'
return { title = "Carried", start = function() require("start")() end }
END
  file systems/probe.lua <<END
return { update = function() if world.tick % 512 == 0 then log.info($1) end end }
END
  launch "$release" run "$game" --headless --watch --log info
}
fresh() { rm -rf "$game"; }

# --- schemas

fields() {
  fresh
  file components.lua <<'END'
return { health = { hp = 100, gone = 3, stability = 0.5, kind = shoal.types.enum { "low", "high" } } }
END
  file start.lua <<'END'
return function() world.spawn(nil, { name = "a", health = { hp = 70, stability = 0.25, kind = "high" } }) end
END
  start_game '"sees %s", world.find("a").health.hp'
  expect_log "sees 70"
  mark_log
  file systems/probe.lua <<'END'
return { update = function() if world.tick % 512 == 0 then local h = world.find("a"):describe().health
  log.info("now %s %s %s %s", h.hp, h.armour, h.balance, h.kind) end end }
END
  file components.lua <<'END'
local t = shoal.types
return { health = { armour = 4, hp = t.i32(100), balance = 0, kind = t.enum { "none", "high", "low" },
  renamed_from = { balance = "stability" } } }
END
  expect_log "now 70 4 0.25 high"
  log_has "1 field added, 1 field renamed, 2 fields converted, 1 field dropped" || fail "$(log_since_mark | grep reloaded)"
}
it "added, removed, renamed and retyped fields are migrated in a running game" fields

lossy_change() {
  fresh
  echo 'return { health = { hp = 1.5 } }' | file components.lua
  echo 'return function() world.spawn(nil, { name = "a", health = {} }) end' | file start.lua
  start_game '"sees %s", world.find("a").health.hp'
  expect_log "sees 1.5"
  mark_log
  echo 'return { health = { hp = shoal.types.i32(1) } }' | file components.lua
  expect_log "components.lua:1"
  log_has "health.hp: cannot convert 1.5 from f32 to i32" || fail "$(log_since_mark)"
  expect_log "sees 1.5"
  stub=$(log_since_mark | grep -o 'migrate = function.* end end' | head -n 1)
  [ -n "$stub" ] || fail "there is no stub: $(log_since_mark)"
  mark_log
  echo "return { health = { hp = shoal.types.i32(1), $stub } }" | file components.lua
  expect_log "reloaded components.lua"
  mark_log
  expect_log "sees 1"
  grep -q "1 component migrated" "$log" || fail "$(grep reloaded "$log")"
}
it "a change that would lose data is rejected, and the error contains migration code to paste" lossy_change

migrating() {
  fresh
  echo 'return { health = { hp = 5, name = "x" } }' | file components.lua
  echo 'return function() world.spawn_many("rock", 100) world.spawn("rock", { name = "a", health = { hp = 7 } }) end' | file start.lua
  echo 'return { rock = { components = { health = {} } } }' | file assemblages.lua
  start_game '"sees %s", world.find("a").health.hp'
  expect_log "sees 7"
  mark_log
  cat >"$tmp/good" <<'END'
return { health = { points = shoal.types.vec2(0, 0), words = "", migrate = function(old, new, q)
  for i = 1, q.count do
    new.points.x[i], new.points.y[i] = old.hp[i] * 2, old.hp[i]
    new.words[i] = old.name[i] .. " of " .. tostring(q.entity[i]):match("%d+")
  end
end } }
END
  sed 's/old.hp\[i\] \* 2/old.hq[i]/' "$tmp/good" | file components.lua
  expect_log "components.lua:3"
  log_has "old has no field hq" || fail "$(log_since_mark)"
  file systems/probe.lua <<'END'
return { update = function() if world.tick % 512 == 0 then local h = world.find("a").health
  log.info("now %s %s %s", h.points.x, h.points.y, h.words) end end }
END
  file components.lua <"$tmp/good"
  expect_log "now 14 7 x of 101"
}
it "a component's migrate function converts its rows, and an error in migrate rejects the change" migrating

changed_kinds() {
  fresh
  echo 'local t = shoal.types return { gun = { heat = 2 }, tag = {}, score = t.single { value = 3 } }' | file components.lua
  echo 'return function() world.spawn(nil, { name = "a", gun = { heat = 5 }, tag = {} }) end' | file start.lua
  start_game '"sees %s", world.single.score.value'
  expect_log "sees 3"
  mark_log
  file systems/probe.lua <<'END'
return { update = function()
  local e = world.find("a")
  if world.tick % 512 == 0 then
    if world.single.score.best and not e:describe().gun.left then e:add("gun", { heat = 6 }, "left") end
    log.info("now %s %s", e:describe().tag.n, world.single.score.best)
    for name, gun in pairs(e:describe().gun) do log.info("gun '%s' %s", name, type(gun) == "table" and gun.heat or gun) end
  end
end }
END
  echo 'local t = shoal.types return { gun = t.many { heat = 2 }, tag = { n = 8 }, score = t.single { value = 3, best = 9 } }' |
    file components.lua
  expect_log "now 8 9" "gun '' 5" "gun 'left' 6"
  mark_log
  echo 'local t = shoal.types return { gun = { heat = 2 }, tag = { n = 8 }, score = t.single { value = 3, best = 9 } }' | file components.lua
  expect_log "cannot convert gun from a many component to a plain component"
}
it 'a component can become `many`, a tag can gain fields, and impossible changes are rejected' changed_kinds

split() {
  fresh
  echo 'return { drive = { vx = 0, vy = 0, rate = 0 } }' | file components.lua
  echo 'return { car = { components = { drive = { vx = 3, rate = 1 } } } }' | file assemblages.lua
  echo 'return function() world.spawn("car", { name = "a", drive = { vy = 2 } }) end' | file start.lua
  start_game '"sees %s", world.find("a").drive.vx'
  expect_log "sees 3"
  mark_log
  file components.lua <<'END'
return { motion = { vx = 0, vy = 0, renamed_from = { vx = "drive.vx", vy = "drive.vy" } },
  spin = { turn = 0, renamed_from = { turn = "drive.rate" } } }
END
  expect_log "former name of a component: drive.vx is now motion.vx, drive.vy is now motion.vy, drive.rate is now spin.turn"
  echo 'return { update = function() if world.tick % 512 == 0 then local a = world.find("a")
    log.info("now %s %s %s", a.motion.vx, a.motion.vy, a.spin.turn) end end }' | file systems/probe.lua
  echo 'return { car = { components = { motion = { vx = 3 }, spin = { turn = 1 } } } }' | file assemblages.lua
  expect_log "reloaded" "now 3 2 1"
}
it "a component can be split into two components, and its values are kept" split

split_off() {
  fresh
  echo 'return { fox = { speed = 1, dash = 0 } }' | file components.lua
  echo 'return { fox = { components = { fox = { speed = 4 } } } }' | file assemblages.lua
  echo 'return function() world.spawn(nil, { name = "a", fox = { speed = 3, dash = 7 } }) world.spawn("fox", { name = "b" }) end' |
    file start.lua
  start_game '"sees %s", world.find("a").fox.dash'
  expect_log "sees 7"
  file systems/probe.lua <<'END'
local function values(name) return json.decode(world.find(name):json()).components end
return { update = function()
  if world.tick % 512 == 0 then
    local a, b = values("a"), values("b")
    log.info("%s", a.dart and "now " .. a.fox.speed .. " " .. a.dart.left .. " " .. tostring(b.dart ~= nil)
      or "dashes " .. a.fox.dash)
  end
end }
END
  expect_log "dashes 7"
  mark_log
  echo 'return { fox = { speed = 1 }, dart = { left = 0, right = 5, renamed_from = { left = "fox.dash" } } }' | file components.lua
  expect_log "now 3 7 true" "dart.left: renamed from fox.dash"
  mark_log
  echo 'return { fox = { speed = 2 }, dart = { left = 0, right = 5, renamed_from = { left = "fox.dash" } } }' | file components.lua
  expect_log "now 3 7 true"
  mark_log
  echo 'return { fox = { speed = 1, dash = 0 } }' | file components.lua
  expect_log "dashes 7"
}
it "a field can move to a new component, and moves back when the edit is reverted" split_off

other_kind() {
  fresh
  echo 'return { health = { hp = 0 } }' | file components.lua
  echo 'return function() world.spawn(nil, { name = "a", health = { hp = 30 } }) end' | file start.lua
  start_game '"sees %s", world.find("a").health.hp'
  expect_log "sees 30"
  for type in 't.list(t.u8, 3)' '{ now = 0 }' 't.vec2(0, 0)'; do
    mark_log
    echo "local t = shoal.types return { health = { hp = $type } }" | file components.lua
    expect_log "health.hp: cannot convert f32 to a" "sees 30"
    stub=$(log_since_mark | grep -o 'migrate = function.* end end' | head -n 1)
    mark_log
    echo "local t = shoal.types return { health = { hp = $type, $stub } }" | file components.lua
    expect_log "reloaded components.lua"
    mark_log
    echo "local t = shoal.types return { health = { hp = 0 } }" | file components.lua
    expect_log "to f32: convert"
    stub=$(log_since_mark | grep -o 'migrate = function.* end end' | head -n 1)
    mark_log
    echo "local t = shoal.types return { health = { hp = 0, $stub } }" | file components.lua
    expect_log "reloaded components.lua" "sees 30"
  done
  mark_log
  echo 'local t = shoal.types return { health = { hp = t.list(t.f32, 3, { 1, 2 }), renamed_from = { hp = "hp" } } }' | file components.lua
  expect_log "health.hp: health.hp is its first value" "{ 30 }"
}
it "a change of a number to a list, a record or a vector is rejected unless migrate or renamed_from converts the values" other_kind

# `motion`, which some entities already have, takes over some fields of `drive` and all fields of `engine`.
merged() {
  fresh
  echo 'return { drive = { vx = 0, rate = 0 }, engine = { heat = 0 }, motion = { speed = 1 } }' | file components.lua
  echo 'return {}' | file assemblages.lua
  echo 'return function() world.spawn(nil, { name = "a", drive = { vx = 3 } }) world.spawn(nil, { name = "c", engine = { heat = 6 } })
    world.spawn(nil, { name = "b", drive = { vx = 4 }, engine = { heat = 2 }, motion = { speed = 8 } }) end' | file start.lua
  start_game '"sees %s", world.find("a").drive.vx'
  expect_log "sees 3"
  mark_log
  echo 'return { motion = { speed = 1, vx = 5, heat = 7, renamed_from = { vx = "drive.vx", heat = "engine.heat" } } }' | file components.lua
  echo 'return { update = function() if world.tick % 512 == 0 then
    for _, name in ipairs { "a", "b", "c" } do local m = world.find(name).motion
      log.info("%s: %s %s %s", name, m.speed, m.vx, m.heat) end end end }' | file systems/probe.lua
  expect_log "reloaded" "a: 1 3 7" "b: 8 4 2" "c: 1 5 6"
}
it "fields of several components can be merged into one component" merged

renamed() {
  fresh
  echo 'return { drive = { vx = 0, vy = 0 } }' | file components.lua
  echo 'return { car = { components = { drive = { vx = 3 } } } }' | file assemblages.lua
  echo 'return function() world.spawn("car", { name = "a", drive = { vy = 2 } }) end' | file start.lua
  start_game '"sees %s", world.find("a").drive.vx'
  expect_log "sees 3"
  echo 'return { motion = { vx = 0, vy = 0, renamed_from = "drive" } }' | file components.lua
  expect_log "former name of a component: drive is now motion"
  echo 'return { update = function() end }' | file systems/probe.lua
  echo 'return { car = { components = { motion = { vx = 3 } } } }' | file assemblages.lua
  expect_log "reloaded"
  echo 'return { update = function() if world.tick % 512 == 0 then
    log.info("moves %s %s", world.find("a").motion.vx, world.find("a").motion.vy) end end }' | file systems/probe.lua
  expect_log "moves 3 2"
}
it "a renamed component keeps its rows" renamed

# --- assemblages

assemblages() {
  fresh
  echo 'return { health = { hp = 1, max = 1 }, motion = { vx = 0 }, shield = { left = 3 } }' | file components.lua
  echo 'return { tank = { components = { health = { hp = 100, max = 100 }, motion = {} } } }' | file assemblages.lua
  file start.lua <<'END'
return function()
  world.spawn("tank", { name = "free" })
  world.spawn("tank", { name = "hurt", health = { hp = 100 } }) -- overridden with the same value
  world.spawn("tank", { name = "moved" }).motion.vx = 0
end
END
  start_game '"sees %s", world.find("free").health.hp'
  expect_log "sees 100"
  mark_log
  file systems/probe.lua <<'END'
return { update = function() if world.tick % 512 ~= 0 then return end
  local free, hurt, moved = world.find("free"), world.find("hurt"), world.find("moved")
  log.info("now %s %s, %s %s, %s %s %s", free.health.hp, hurt.health.hp, hurt.health.max, hurt:has("shield") and hurt.shield.left,
    free:has("motion"), hurt:has("motion"), moved:has("motion"))
end }
END
  expect_log "now 100 100, 100 false, true true true"
  mark_log
  echo 'return { tank = { components = { health = { hp = 200, max = 300 }, shield = { left = 5 } } } }' | file assemblages.lua
  expect_log "now 200 100, 300 5, false false true"
  log_has "3 entities updated, 2 values kept" || fail "$(log_since_mark | grep reloaded)"
}
it "editing an assemblage updates its entities, except overridden values" assemblages

children_and_states() {
  fresh
  echo 'return { light = { on = 1 }, wreck = {}, controls = {} }' | file components.lua
  file assemblages.lua <<'END'
return { tank = { components = { transform = {} }, children = { turret = { components = { transform = { y = 8 } } }, flag = {} },
  states = { initial = "alive", alive = { controls = {} }, dying = { wreck = {} } } } }
END
  file start.lua <<'END'
return function() world.spawn("tank", { name = "a" }):enter("dying") world.spawn("tank", { name = "b" }) end
END
  start_game '"sees %s", #world.find("a"):children()'
  expect_log "sees 2"
  mark_log
  file systems/probe.lua <<'END'
return { update = function() if world.tick % 512 ~= 0 then return end
  local a, names = world.find("a"), {}
  for i, child in ipairs(a:children()) do names[i] = child:name() .. child.transform.y end
  table.sort(names)
  log.info("now %s; %s %s %s %s", table.concat(names, " "), a:state(), a:has("controls"), a:has("wreck"), a:has("light") and a.light.on)
end }
END
  expect_log "now flag0 turret8; dying false true false"
  file assemblages.lua <<'END'
return { tank = { components = { transform = {} }, children = { turret = { components = { transform = { y = 9 } } },
  lamp = { components = { light = {} } } }, states = { initial = "alive", alive = { controls = {}, light = { on = 2 } } } } }
END
  expect_log "now lamp0 turret9; alive true false 2"
}
it "editing an assemblage updates children and states of its entities" children_and_states

removed_with_states() {
  fresh
  echo 'return { calm = {}, mad = {} }' | file components.lua
  states='{ components = {}, states = { initial = "calm", calm = { calm = {} }, mad = { mad = {} } } }'
  echo "return { brute = $states, ogre = $states }" | file assemblages.lua
  echo 'return function() world.spawn("brute", { name = "a" }) world.spawn("ogre", { name = "b" }) end' | file start.lua
  start_game '"sees %s", world.find("a"):state()'
  expect_log "sees calm"
  mark_log
  echo "return { ogre = $states }" | file assemblages.lua
  expect_log "assemblage brute was removed: its only entity in state calm keeps its components and values"
  file systems/probe.lua <<'END'
return { query = { "calm" }, each = function(e) if world.tick % 512 == 0 then
  e:enter("mad") log.info("a is %s, b is %s", world.find("a"):state(), world.find("b"):state()) end end }
END
  expect_log "cannot enter mad: its assemblage brute was removed: keep the assemblage until the entity is gone"
  expect_log "a is calm, b is mad"
  ! grep -q "error" "$log" || fail "$(grep error "$log")"
}
it "an entity whose assemblage was removed keeps its state, and e:enter reports this without parking the system" \
  removed_with_states

# A script writes each field in a different way; then the assemblage changes all of these fields.
every_write_overrides() {
  fresh
  file components.lua <<'END'
return { c = { column = 1, access = 1, lookup = 1, put = 1, each = 1, single = 1, fill = 1, sql = 1, given = 1, free = 1 } }
END
  thing() { echo "return { thing = { components = { c = { column = $1, access = $1, lookup = $1, put = $1, each = $1, single = $1,
    fill = $1, sql = $1, given = $1, free = $1 } } } }" | file assemblages.lua; }
  thing 1
  file start.lua <<'END'
return function()
  world.spawn("thing", { name = "a", c = { given = 1 } })
  world.spawn_many("thing", 3, function(q) for i = 1, q.count do q.c.fill[i] = 1 end end)
end
END
  echo 'return { query = { "c" }, precision = "single", each = function(e) e.c.single = e.c.single * 1 end }' | file systems/k.lua
  echo 'return { query = { "c" }, each = function(e) e.c.each = 1 end }' | file systems/e.lua
  file systems/u.lua <<'END'
return { query = { "c" }, update = function(q)
  local lookup = world.lookup("c").lookup
  for i = 1, q.count do
    q.c.column[i] = 1
    lookup[q.entity:raw(i)] = 1
    q.entity[i].c.access = 1
    q.entity[i]:set("c", { put = 1 })
  end
end }
END
  start_game '"sees %s", world.find("a").c.free'
  expect_log "sees 1"
  mark_log
  thing 5
  expect_log "reloaded assemblages.lua"
  file systems/probe.lua <<'END'
return { update = function() if world.tick % 512 ~= 0 then return end
  local out, other = {}, {}
  for name, v in pairs(world.find("a"):describe().c) do if v ~= 1 then out[#out + 1] = name end end
  for e in world.each("c") do if e:has("name") == false then other[#other + 1] = e.c.fill .. e.c.given end end
  log.info("now %s; %s.", table.concat(out, " "), table.concat(other, " "))
end }
END
  expect_log "now fill free sql; 15 15 15."
}
it "values written by systems, e:set, world.lookup, spawn and spawn_many count as overridden" every_write_overrides

tracking_keeps_hashes() {
  for options in --watch --no-watch; do
    run_for 60 "$release" run "$root/scripts/games/asteroids" --headless --seed 5 --ticks 600 --hash $options
    exits 0
    grep hash "$tmp/out" | tail -n 1 >"$tmp/hash$options"
  done
  [ -s "$tmp/hash--watch" ] || fail "there is no hash: $(tail -n 3 "$tmp/out")"
  cmp -s "$tmp/hash--watch" "$tmp/hash--no-watch" || fail "$(cat "$tmp"/hash--*)"
}
it "tracking overridden values leaves the hashes unchanged" tracking_keeps_hashes

hundred_thousand() {
  fresh
  echo 'return { c = { a = 1, b = 2, d = shoal.types.u8(3) } }' | file components.lua
  echo 'return { thing = { components = { c = {} } } }' | file assemblages.lua
  echo 'return function() world.spawn_many("thing", 100000) world.spawn("thing", { name = "a" }) end' | file start.lua
  start_game '"sees %s", world.find("a").c.b'
  expect_log "sees 2"
  mark_log
  echo 'local t = shoal.types return { c = { e = 5, b = t.f64(2), d = t.i32(3), f = 1, renamed_from = { f = "a" } } }' | file components.lua
  expect_log "reloaded components.lua"
  file systems/probe.lua <<'END'
return { update = function() if world.tick % 512 == 0 then local c = world.find("a").c log.info("now %s %s %s %s", c.e, c.b, c.d, c.f) end end }
END
  expect_log "now 5 2 3 1"
}
it "a reload migrates the rows of a hundred thousand entities" hundred_thousand

# --- objects of maps

# Object 1 has an unknown class, so it is not spawned. Object 2 has an unknown component and object 3 an unknown field,
# which are skipped. The game has destroyed object 5.
map_objects() {
  fresh
  mkdir -p "$game/assets"
  map_file ratt radios
  echo 'return { gem = { value = 1 } }' | file components.lua
  echo 'return { link = { components = { transform = {}, follow = {} } } }' | file assemblages.lua
  file start.lua <<'END'
return function()
  world.spawn(nil, { transform = {}, tilemap = { map = "m.tmj" } })
  world.find("coin"):destroy()
end
END
  file lib/seen.lua <<'END'
return function()
  local out = {}
  for e in world.each("map_object") do
    out[#out + 1] = e.map_object.id .. (e:has("follow") and world.alive(e.follow.target) and "+" or "")
  end
  table.sort(out)
  return table.concat(out, " ")
end
END
  start_game '"sees %s.", require("lib.seen")()'
  expect_log "sees 2 3 4."
  log_has 'm.tmj: object 1: unknown assemblage "ratt"' || fail "$(cat "$log")"
  log_has 'm.tmj: object 2 "gem": skipped gems: unknown component “gems”: did you mean gem?' || fail "$(cat "$log")"
  mark_log
  map_file rat radios
  expect_log 'm.tmj: object 1: unknown assemblage "rat"'
  mark_log
  echo 'return { rat = { components = { transform = {}, shape = {} } }, link = { components = { transform = {}, follow = {} } } }' |
    file assemblages.lua
  expect_log "1 map object spawned" "sees 1 2 3 4+."
  mark_log
  map_file rat radius
  expect_log "m.tmj: objects: 0 spawned, 1 changed, 0 removed" "sees 1 2 3 4+."
}
# map_file CLASS FIELD: writes a map with this class of object 1 and this field of object 3
map_file() {
  file assets/m.tmj <<END
{ "orientation": "orthogonal", "width": 1, "height": 1, "tilewidth": 16, "tileheight": 16, "tilesets": [],
  "layers": [ { "type": "objectgroup", "name": "o", "objects": [
    { "id": 1, "type": "$1", "x": 1, "y": 1, "point": true },
    { "id": 2, "name": "gem", "x": 1, "y": 1, "point": true, "properties": [
      { "name": "gems.value", "type": "int", "value": 3 } ] },
    { "id": 3, "name": "round", "x": 1, "y": 1, "point": true, "properties": [
      { "name": "shape.$2", "type": "float", "value": 3 } ] },
    { "id": 4, "type": "link", "x": 1, "y": 1, "point": true, "properties": [
      { "name": "follow.target", "type": "object", "value": 1 } ] },
    { "id": 5, "name": "coin", "x": 1, "y": 1, "point": true } ] } ] }
END
}
it "a reload spawns a map object once its assemblage exists, and sets a skipped value once its field is valid" map_objects
