# Unknown names in code are reported when a file is loaded, before the line runs. Names that are only determined at run
# time are not reported.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

write_declarations() {
  rm -rf game
  mkdir -p game/systems game/behaviours game/sequences game/scenes game/lib
  cat >game/components.lua <<'LUA'
local t = shoal.types
return { health = { hp = 1, armour = { front = 1, back = 2 }, place = t.vec2 }, foe = { entity = t.entity },
  mood = { state = t.enum { "calm", "angry" } }, gun = t.many { heat = 0 }, score = t.single { value = 0 },
  note = t.metadata { text = "" }, game = t.single { phase = "title" } }
LUA
  cat >game/events.lua <<'LUA'
local t = shoal.types
return { hit = { victim = t.entity, damage = 1 }, heal = { victim = t.entity, power = 1 } }
LUA
  cat >game/assemblages.lua <<'LUA'
return { tank = { components = { transform = {}, health = {}, mood = {}, foe = {}, gun = { left = {} }, guard = {} } } }
LUA
  echo 'return { fire = "key:x" }' >game/input.lua
  echo 'return { night = "sounds/ui_press.wav" }' >game/music.lua
  echo 'return { entities = {} }' | tee game/scenes/level1.lua >game/scenes/level2.lua
  echo 'return { title = "names", id = "names", start = function() world.spawn("tank", { name = "a" }) end }' >game/game.lua
}

# Checks that the warnings are exactly the warnings in the files: a comment "--! TEXT" expects a warning of its line
# that contains TEXT. Several texts are separated by "|".
finds() {
  (cd game && grep -n -e '--! ' ./*/*.lua) | sed 's|^\./||; s|\.lua:\([0-9]*\):.*--! |.lua:\1: |' |
    awk -F ': ' '{ place = $1; rest = substr($0, length($1) + 3); n = split(rest, text, "|")
      for (i = 1; i <= n; i++) print place ": " text[i] }' >expected
  run_for 30 "$release" run game --headless --no-watch --ticks 2
  exits 0
  grep '^warn: ' err >warnings || true
  [ "$(wc -l <warnings)" = "$(wc -l <expected)" ] ||
    fail "expected $(wc -l <expected) warnings, got $(wc -l <warnings): $(cat warnings)"
  while read -r line; do grep -qF "warn: $line" warnings || fail "expected $line, got: $(cat warnings)"; done <expected
}

unknown_names() {
  write_declarations
  cat >game/systems/a.lua <<'LUA'
return {
  query = { "health", "mood", "foe", "gun" }, when = { score = { value = 17 } },
  update = function(q, dt)
    for i = 1, q.count do
      q.health.hpp[i] = 1 --! health has no field hpp (did you mean hp?)
      q.healt.hp[i] = 2 --! the query has no component healt (did you mean health?)
      q.health.armour.frnt[i] = 3 --! health.armour has no field frnt
      if q.mood.state[i] == "angy" then return end --! mood.state must be one of calm, angry (did you mean angry?)
      q.mood.state[i] = "clam" --! mood.state must be one of calm, angry (did you mean calm?)
      local e = q.entity[i]
      e.helth.hp = 1 --! an entity has no component or method helth: did you mean health?
      e.foe.entity.health.hqp = 2 --! health has no field hqp
      e.gun.left.heaat = 3 --! gun has no field heaat
      e:set("health", { hpq = 1 }) --! health has no field hpq
      e:add("gun", { heta = 1 }, "rear") --! gun has no field heta
      e:has("healh") --! e:has: unknown component healh: did you mean health?
      e.health.place.z = 3 --! health has no field place.z
      e:send("hitt", {}) --! e:send: unknown event hitt: did you mean hit?
      e:sequence("introo") --! e:sequence: unknown sequence introo: did you mean intro?
    end
    world.scene("levl1") --! world.scene: scenes/levl1.lua or .json not found: did you mean level1?
    world.open "level3" --! world.open: scenes/level3.lua or .json not found
    world.emit("hit", {
      damage = 1,
      victm = q.entity[1], --! event hit has no field victm (did you mean victim?)
    })
    world.emit("hitt") --! world.emit: unknown event hitt: did you mean hit?
    world.after(2, "hit", { damge = 1 }) --! event hit has no field damge
    if input.pressed("fir") then audio.play("bom") end --! input.lua has no action fir|audio.play: bom: not found
    audio.play("sounds/ui_press.wav", { bus = "efects" }) --! audio.play: unknown bus efects
    music.play("nigth") --! music.play: unknown piece nigth
    world.tween(q.entity[1], "transform.xx", 1, 1, "cubic_outt") --! world.tween: transform has no field xx|world.tween: unknown easing cubic_outt
    world.single.score.valu = 3 --! score has no field valu
    world.single.scor.value = 3 --! unknown singleton scor (did you mean score?)
    world.spawn("tnk") --! world.spawn: unknown assemblage tnk: did you mean tank?
    world.spawn("tank", {
      health = {
        hppp = 1 }, --! health has no field hppp
      gun = { left = { heaat = 2 } }, --! gun has no field heaat
      helth = {}, --! unknown component helth: did you mean health?
    })
    for e in world.each("health", "targt") do --! world.each: unknown component targt
      if e.health.h_p then break end --! health has no field h_p
    end
    local health = world.lookup("health")
    health.hpp[1] = 2 --! health has no field hpp
    world.system("shoot", false) --! world.system: unknown system shoot
    world.spwn("x") --! world has no spwn (did you mean spawn?)
    draw.image("nope.png", 1, 2) --! draw.image: nope.png: not found
    shoal.ease("cubicc", 1) --! shoal.ease: unknown easing cubicc
    local wrong = "no_level"
    world.scene(wrong) --! world.scene: scenes/no_level.lua or .json not found
  end,
  on = { hit = function(ev)
    for i = 1, ev.count do
      local d = ev.damagee[i] --! event hit has no field damagee (did you mean damage?)
      ev.victim[i].health.hhp = d --! health has no field hhp
    end
  end },
}
LUA
  cat >game/behaviours/guard.lua <<'LUA'
return { fields = { timer = 2 },
  update = function(self) if world.tick > 99 then self.timr = 1 end end, --! guard has no field or function timr
  on = { hit = function(self, ev)
    self.timer = ev.damagee --! event hit has no field damagee
    self.entity.health.hqp = 1 --! health has no field hqp
  end },
  land = function(self) self:jump() end } --! guard has no field or function jump
LUA
  cat >game/sequences/intro.lua <<'LUA'
return { { wait = 1 },
  { call = function(e) e.health.hpp = 1 end }, --! health has no field hpp
  { all = { { wait_for = function(e) return e.helth.hp end } } } } --! an entity has no component or method helth
LUA
  finds
}
it "unknown names in functions that have not run are reported with the nearest name" unknown_names

possible_names() {
  write_declarations
  sed 's/start = function()/& world.define("late", { components = { transform = {} } })/' game/game.lua >game.lua
  mv game.lua game/game.lua
  cat >game/lib/box.lua <<'LUA'
local Box = {}
Box.__index = Box
function Box.new() return setmetatable({ list = {} }, Box) end
function Box:set(name, values) return { name, values } end
function Box:scene(name) return self:set(name) end
return Box
LUA
  cat >game/systems/a.lua <<'LUA'
local Box = require "lib.box"
local function both(ev) -- handles two events
  return pcall(function() return ev.damage end), pcall(function() return ev.power end)
end
local function read(view) return view.other end
return {
  query = { "health", "gun" },
  update = function(q, dt)
    local world = { scene = print, emit = print, spawn = print, single = { x = { y = 1 } } }
    local input, audio, box = { pressed = print }, { play = print }, Box.new()
    if q.count > 99 then
      world.scene("nowhere") world.emit("nothing") world.spawn("none", { helth = { hpp = 1 } })
      box:set("health", { hpp = 1 }) box:scene("nowhere") input.pressed("fir") audio.play("no_such_sound")
      print(read({ other = 1 }), read(q))
    end
  end,
  on = { hit = both, heal = both },
}
LUA
  cat >game/systems/b.lua <<'LUA'
local values = { helth = 1 }
return {
  query = { "health" },
  update = function(q, dt)
    if world.tick < 1e9 then return end
    world.scene(world.tick > 5 and "level1" or "level2")
    local which = "hit"
    if dt > 7 then which = "heal" end
    world.emit(which, which == "hit" and { damage = 1 } or { power = 1 })
    local other = dt > 3 and world.find("a") or { helth = { hpp = 1 } }
    local e = world.find("a")
    for _ = 1, 2 do
      print(e.name, other.helth, other.nothing)
      e = { hpp = 3, name = "x" }
    end
    local x = world.find("a")
    while dt > 3 do print(x.stuff) x = { stuff = 1 } end
    repeat local y = x y = { z = 1 } print(y.z) until dt > 1
    world.spawn("late") world.spawn("lat" .. "er")
    world.spawn("tank", { gun = { left = { heat = 1 }, any_name = { heat = 2 } }, note = { text = "x" }, mood = false })
    pcall(function() world.scene("nowhere") world.single.nothing.x = 1 end)
    local a = world.find("a")
    print(a.gun.left.heat, a.gun.any.heat, a:has("note"), a.health.armour.front, a.health.place.x, a.mood.state ~= "")
    for k, near in ipairs(world.near(1, 2, 3)) do print(near.health.hp, k) end
    world.lookup("health").hp[q.entity:raw(1)] = 2
    print(q.health.armour.front[1], q.health.place.x[1], q.health.place[1])
    world.tween(world.single, "score.value", 1, 1) world.tween(a, "gun.left.heat", 1, 1, "sine_in")
    world.tween(a, "health.armour.front", 1, 1) world.tween(a, "health.place.x", 1, 1)
    local function inner(t) return t.helth end
    inner(values)
    local fire = "fi"
    fire = fire .. "re"
    print(input.down(fire), world.query { "health", any = { "mood", "gun" }, without = "foe" }.health.hp[1])
    audio.play("sounds/ui_press.wav", { bus = "ui", x = 1, y = 2 })
    a.health.armour = { front = 1 } a.health.place = { x = 1 } a:set("health", { armour = { front = 2 } })
    audio[fire]("x") world.emit(fire) a[fire].x = 1
  end,
}
LUA
  cat >game/behaviours/guard.lua <<'LUA'
return { fields = { timer = 2, foe = shoal.types.entity }, any = true,
  on = { hit = function(self, ev) self.timer = ev.damage end, heal = function(self, ev) self.timer = ev.power end },
  land = function(self, v) self.timer = v self:land(3) print(self.foe.health.hp, self.entity.guard) end }
LUA
  finds
}
it "names that the code itself defines or computes are not reported as unknown" possible_names

untested_systems() {
  write_declarations
  sed 's/, guard = {}//' game/assemblages.lua >a.lua && mv a.lua game/assemblages.lua
  echo 'return { when = { game = { phase = "playing" } }, update = function(dt) end }' >game/systems/fight.lua
  echo 'return { enabled = false, update = function(dt) end }' >game/systems/cheat.lua
  echo 'return { every = 1000000007, update = function(dt) end }' >game/systems/slow.lua
  echo 'return { update = function(dt) end }' >game/systems/runs.lua
  cp game/systems/fight.lua game/systems/same.lua
  launch "$release" run game --headless --watch
  expect_log "names: seed"
  for name in fight cheat slow runs; do echo "-- edited" >>"game/systems/$name.lua"; done
  expect_log "not tested by the trial tick: cheat (enabled = false), fight (when game.phase = playing), slow (every = 1000000007)"
  stop_program
}
it "a reload names the changed systems that the trial tick did not run" untested_systems

# reports_line LINE "text": loads assemblages.lua from standard input; a message about that line must contain the text.
reports_line() {
  write_declarations
  cat >game/assemblages.lua
  run_for 30 "$release" run game --headless --no-watch --ticks 1
  grep -F "assemblages.lua:$1: $2" err >lines || fail "expected assemblages.lua:$1: $2, got: $(cat err)"
  [ "$(grep -c "$2" err)" = 1 ] || fail "expected one message: $(cat err)"
}
lines_of_children() {
  reports_line 5 "label has no field txt" <<'LUA'
return {
  m = {
    components = { panel = {} },
    children = {
      { label = { txt = "x" } },
      { slider = { bind = "settings.musik" } },
    },
  },
}
LUA
  reports_line 4 "slider.bind: settings has no writable field musik" <<'LUA'
return { tank = { components = { panel = {} },
    children = {
      { label = { text = "x" } },
      { slider = { bind = "settings.musik" } },
    } } }
LUA
  reports_line 6 "label has no field txt" <<'LUA'
return {
  label = { components = { label = { text = "txt" } } },
  m = { components = { panel = {} },
    children = { a = { components = { panel = {} }, children = {
      b = { label = {
        txt = "x" } } } } } } }
LUA
  reports_line 5 'transform.x must be a number, got text "a"' <<'LUA'
return {
  m = { components = { transform = { x = 1 } },
    children = { { transform = { x = 2 } },
      { states = { initial = "s", s = { shape = {} } }, components = { transform = {
        x = "a" } } } } } }
LUA
  reports_line 4 "m/2 has no field iss" <<'LUA'
return {
  m = { components = { transform = { x = 1 } },
    children = { { transform = { x = 2 } },
      { iss = "m" } } } }
LUA
  reports_line 4 "sprite.image: none.png: not found" <<'LUA'
return {
  tank = { components = { transform = {}, shape = {} },
    children = { a = { transform = { x = 2 } },
      b = { sprite = { image = "none.png" } } } } }
LUA
  reports_line 6 "shape has no field radios" <<'LUA'
local function part(shape) return { shape = shape } end
return {
  m = { components = { transform = { x = 1 } },
    children = { { transform = { x = 2 } },
      part {
        radios = 3 } } } }
LUA
}
it "a mistake in a child of an assemblage is reported once, with the line of the child" lines_of_children

lines_of_fields() {
  write_declarations
  cat >game/components.lua <<'LUA'
return {
  a = { b = 1, hp = 2 },
  b = {
    hp = function() end } }
LUA
  run_for 30 "$release" run game --headless --no-watch --ticks 1
  says err "components.lua:4: the field hp of b has no type"
}
it "a mistake in a field is reported with its line if a different component has fields with the same two names" \
  lines_of_fields
