# Declared values that are probably mistakes: each causes one warning, with file and line, while the game loads.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

declares= # additional fields of game.lua
warns() { # warns "text"…: loads the game with assemblages.lua from standard input; exactly these warnings are expected
  mkdir -p game
  echo 'return { foe = { angry = false } }' >game/components.lua
  echo "return { $declares start = function() end }" >game/game.lua
  cat >game/assemblages.lua
  run_for 30 "$release" run game --headless --ticks 2
  exits 0
  [ "$(grep -c '^warn' err)" = "$#" ] || fail "expected $# warnings: $(cat err)"
  for text in "$@"; do says err "$text"; done
}

fraction() {
  warns "assemblages.lua:2: shape.layer must be an integer, got 3.7: the fraction is dropped" <<'END'
return { rock = { components = { transform = {},
  shape = { radius = 3.5, layer = 3.7 } } } }
END
}
it "a declared fraction in an integer field is reported" fraction

other_component() {
  warns "assemblages.lua:1: assemblage foe does not contain the component foe: world.count(\"foe\")" <<'END'
return { foe = { components = { transform = {} } }, shape = { components = { shape = {} } } }
END
}
it "an assemblage that lacks the component of its name is reported" other_component

masks() {
  warns "assemblages.lua:3: shot never collides with rock, although the mask of shot contains the category of rock: add 4" \
    "assemblages.lua:4: no assemblage has a category in the mask 64 of ghost" <<'END'
return {
  hero = { components = { body = { category = 1, mask = 2 } } }, rock = { components = { body = { category = 2, mask = 1 } } },
  shot = { components = { body = { category = 4, mask = 2 } } },
  ghost = { components = { body = { category = 8, mask = 64 } } },
  wall = { components = { body = { category = 16 } } },
}
END
}
it "collision masks that cannot take effect are reported" masks
inherited_masks() {
  warns "assemblages.lua:2: no assemblage has a category in the mask 64 of ghost" \
    "assemblages.lua:5: tiny never collides, because its category is 0" \
    "assemblages.lua:8: shot never collides with rock" <<'END'
return {
  ghost = { components = { transform = {}, body = { category = 8, mask = 64 } } },
  bat = { is = "ghost", components = { body = { radius = 3 } } },
  owl = { is = { "bat" } },
  tiny = { is = "owl", components = { body = { category = 0, mask = 1 } } },
  less = { is = "tiny" },
  rock = { components = { body = { category = 2, mask = 16 } } }, pebble = { is = "rock" },
  shot = { components = { body = { category = 4, mask = 2 } } },
  wall = { components = { body = { category = 16 } } },
}
END
}
it "a mistake in a mask that assemblages inherit is reported once" inherited_masks
named_masks() {
  declares='layers = { "hero", "rock", "shot", "ghost", "wall" },'
  warns "assemblages.lua:3: shot never collides with rock, although the mask of shot contains the category of rock: add \"shot\" to" \
    "assemblages.lua:4: no assemblage has a category in the mask { \"ghost\", \"wall\" } of bat" \
    "assemblages.lua:5: none never collides, because its category is 0: set the category to a layer, such as \"hero\"" <<'END'
return { thing = { components = { transform = {} } },
  hero = { components = { body = { category = "hero", mask = "rock" } } }, rock = { components = { body = { category = "rock", mask = 1 } } },
  shot = { components = { body = { category = "shot", mask = { "rock" } } } },
  bat = { components = { body = { category = "shot", mask = { "wall", "ghost" } } } },
  none = { components = { body = { category = 0, mask = 1 } } },
}
END
}
it "warnings about masks name the game's layers" named_masks

no_category() {
  warns "assemblages.lua:2: hero never collides, because its category is 0" \
    "assemblages.lua:3: shot never collides with rock, although the mask of shot contains the category of rock: add 4" <<'END'
return {
  hero = { components = { body = { category = 0, mask = 2 } } }, rock = { components = { body = { category = 2, mask = 0 } } },
  shot = { components = { body = { category = 4, mask = 2 } } },
}
END
}
it "a body with category 0, and a mask that names a body with mask 0, are reported" no_category

closed_event() {
  mkdir -p game/systems
  echo 'return { on = { options_closed = function() end } }' >game/systems/closes.lua
  warns <<'END'
return {}
END
  rm game/systems/closes.lua
}
it "a handler of options_closed causes no warning in a game that never opens the options screen" closed_event

warns_of_code() { # warns_of_code "text"…: like `warns`, in a game with music, texts, states, a scene and a sequence
  rm -rf game
  mkdir -p game/scenes game/strings game/sequences game/systems
  echo 'return { night = "sounds/ui_press.wav" }' >game/music.lua
  echo 'return { resume = {} }' >game/events.lua
  echo 'return { start = "Start" }' >game/strings/en.lua
  cat >game/scenes/yard.lua
  echo 'return { { wait = 9 },
  { call = function(e) e:enter("aliev") e:enter("alive") e:enter("flat") end } }' >game/sequences/intro.lua
  echo 'return { update = function() if world.tick > 99 then world.spawn("guard", { shape = { layer = 3.25 } }) end end,
    query = { "foe" }, enter = function(e) print(e:child("hat"):child("feather"), e:child "2", e:child("hta")) end }' >game/systems/a.lua
  cat >game/scenes/hall.json <<'JSON'
{ "format": 1, "entities": [
  { "components": { "transform": {}, "button": { "emits": "resume" } } },
  { "components": { "transform": {}, "button": { "emits": "resumes" } } } ] }
JSON
  warns "$@" <<'LUA'
return { guard = { components = { transform = {}, shape = {}, widget = {},
  button = { text = "@strat", emits = "resum" } }, states = { initial = "alive", alive = {} },
  children = { hat = { components = { transform = {} }, children = { feather = { components = { transform = {} },
    states = { initial = "flat", flat = {} } } } } } },
  pair = { components = { transform = {} }, children = { { transform = {} }, { transform = {} } } } }
LUA
}

names_in_code() {
  warns_of_code "assemblages.lua:2: button.text: strings/en.lua has no text strat: did you mean start?" \
    "assemblages.lua:2: button.emits: unknown event resum: did you mean resume?" \
    "scenes/yard.lua:2: label.text: strings/en.lua has no text sart: did you mean start?" \
    "scenes/yard.lua:3: music.play: unknown piece nigth: did you mean night?" \
    "scenes/hall.json:3: button.emits: unknown event resumes: did you mean resume?" \
    "sequences/intro.lua:2: e:enter: no assemblage has a state \"aliev\": did you mean alive?" \
    "systems/a.lua:1: shape.layer must be an integer, got 3.25" \
    "systems/a.lua:2: e:child: no assemblage has a child \"hta\": did you mean hat?" <<'LUA'
return { entities = { { assemblage = "guard", components = {
  label = { text = "@sart" } } } }, start = function() music.play("night")
  music.play("nigth") end }
LUA
}
it "typos in events, strings, music, states and children, and fractions in spawns are reported at the start" \
  names_in_code

refuses() { # refuses "FILE:LINE: text": expects this error at the start, with assemblages.lua from standard input
  cat >game/assemblages.lua
  run_for 30 "$release" run game --headless --ticks 1
  exits 1 err "cannot start: $1"
}
bound_fields() { # code may set `of` later, so a field of a component is valid without it
  rm -rf game
  mkdir -p game/systems game/scenes
  echo 'return { foe = { angry = false }, only = shoal.types.metadata { on = true } }' >game/components.lua
  echo 'return { effects = 1 }' >game/settings.lua
  echo 'return { title = "Bound", start = function() end }' >game/game.lua
  refuses "assemblages.lua:2: slider.bind: settings has no writable field effect: did you mean effects?" <<'LUA'
return { menu = { components = { panel = {} }, children = { { slider = { bind = "settings.effects" } },
  volume = { components = { widget = {}, slider = { bind = "settings.effect" } } } } } }
LUA
  refuses "assemblages.lua:1: bar.bind: setings.effects: unknown singleton or component setings: did you mean settings?" \
    <<'LUA'
return { power = { components = { widget = {}, bar = { bind = "setings.effects" } } } }
LUA
  refuses "assemblages.lua:2: list.bind: transform has no writable field parent" <<'LUA'
return { place = { components = { widget = {}, bar = { bind = "transform.x" } } },
  parent = { components = { widget = {}, list = { bind = "transform.parent" } } } }
LUA
  refuses "assemblages.lua:3: checkbox.bind: foe has no writable field angri: did you mean angry?" <<'LUA'
local function box(path) return { widget = {}, checkbox = { bind = path } } end
return { anger = { components = box("foe.angry"),
  states = { initial = "calm", calm = {}, cross = { checkbox = { bind = "foe." .. "angri" } } } } }
LUA
  cat >game/systems/a.lua <<'LUA'
return { update = function() local list = { bind = "no.name" } if world.tick > 99 then world.spawn(nil, { widget = {},
  checkbox = { bind = "foe.angri" } }) world.spawn(nil, { widget = {}, bar = { bind = "foe.angry" } }) end
  return list end }
LUA
  echo 'return {}' | refuses "systems/a.lua:2: checkbox.bind: foe has no writable field angri: did you mean angry?"
  rm game/systems/a.lua
  cat >game/scenes/one.lua <<'LUA'
return { entities = { { components = { widget = {}, bar = { bind = "foe.angry" } } },
  { components = { widget = {}, entry = { bind = "foe.angri" } } } } }
LUA
  echo 'return {}' | refuses "scenes/one.lua:2: entity 2: entry.bind: foe has no writable field angri: did you mean angry?"
  rm game/scenes/one.lua
  cat >game/scenes/two.json <<'LUA'
{ "entities": [
  { "id": 1, "components": { "widget": {}, "bar": { "bind": "foe.angri" } } } ] }
LUA
  echo 'return {}' | refuses "scenes/two.json:2: entity 1: bar.bind: foe has no writable field angri: did you mean angry?"
}
it "a bind path to an unknown field is an error with file, line and the nearest name" bound_fields

bound_reload() {
  trap stop_program EXIT
  rm -rf game
  mkdir game
  echo 'return { title = "Bound", id = "bound_reload", start = function() world.spawn("menu") end }' >game/game.lua
  echo 'return { menu = { components = { widget = {}, slider = { bind = "settings.music" } } } }' >game/assemblages.lua
  launch "$release" run game --headless --watch --temporary-saves
  expect_log "seed"
  echo 'return { menu = { components = { widget = {}, slider = { bind = "settings.musik" } } } }' >game/assemblages.lua
  expect_log "reload refused: assemblages.lua:1: slider.bind: settings has no writable field musik: did you mean music?"
}
it "a reload with an unknown field in a bind path is refused" bound_reload

bound_to_plugin() { # a missing plugin may declare the field
  rm -rf game
  mkdir game
  echo 'return { title = "Bound", plugins = { "absent" }, start = function() end }' >game/game.lua
  echo 'return { a = { components = { widget = {}, bar = { bind = "absent.load" } } } }' >game/assemblages.lua
  run_for 30 "$release" run game --headless --ticks 1
  says err "absent"
  ! grep -q 'cannot start: assemblages' err || fail "the bound field is an error without its plugin: $(cat err)"
}
it "a bind path to a field that a missing plugin may declare is accepted" bound_to_plugin

entity_variables() { # names such as `name` are also fields of other tables, and variables change their meaning in a block
  rm -rf game
  mkdir -p game/systems game/behaviours game/sequences
  cat >game/systems/a.lua <<'LUA'
return { query = { "transform" }, each = function(e)
  if e.name == "boss" or not e.alive then return end
  for _, item in ipairs(e:children()) do
    local e = { name = "x" }
    print(e.name == "x", item, pcall(e.alive, e))
  end
  local near, far = world.nearest(0, 0), world.find "far"
  local place = world.find("far").transform
  local other = world.find("far")
  if other.state == "asleep" and place.x == near then e = other.parent end
  if e.state == 3 or pcall(other.alive, other) and far then end
end, update = nil, on = { boom = function(e) print(e.name == 3) end },
start = function() for _, e in world.each("transform") do print(e) end end }
LUA
  echo 'return { boom = { name = 1 } }' >game/events.lua
  echo 'return { update = function(self) if self.entity.has then end local e = self.entity while e.alive do end end }' >game/behaviours/b.lua
  echo 'return { { call = function(e) if "x" == e.state then end end } }' >game/sequences/s.lua
  warns 'systems/a.lua:2: e.name is a function, not a value: write e:name()' \
    'systems/a.lua:2: e.alive is a function, not a value: write e:alive()' \
    'systems/a.lua:10: other.state is a function, not a value: write other:state()' \
    'systems/a.lua:10: other.parent is a function, not a value: write other:parent()' \
    'systems/a.lua:13: world.each returns one value, so e is always nil: write for e in world.each(…)' \
    'behaviours/b.lua:1: self.entity.has is a function, not a value: write self.entity:has(…)' \
    'behaviours/b.lua:1: e.alive is a function, not a value: write e:alive()' \
    'sequences/s.lua:1: e.state is a function, not a value: write e:state()' <<'LUA'
return { }
LUA
}
it "entity methods that are not called, and loops over world.each with two variables, are reported" entity_variables
rm -rf game/systems game/behaviours game/sequences game/events.lua

# ---- angles in degrees, and numbers in quotes

degrees() {
  mkdir -p game/scenes
  printf 'return { start = function() world.spawn(nil, {\n  light = { cone = 120 }, transform = { angle = -45 } })\nend }\n' \
    >game/systems.lua
  mkdir -p game/systems && mv game/systems.lua game/systems/spawner.lua
  printf '{ "format": 1, "entities": [ { "assemblage": "lamp", "components":\n  { "light": { "cone": 60 } } } ] }\n' \
    >game/scenes/yard.json
  printf 'return { entities = { { assemblage = "lamp", components = {\n  transform = { angle = 180 } } } } }\n' \
    >game/scenes/hall.lua
  warns 'assemblages.lua:2: light.cone is in radians, got 90, which is more than a full turn: write math.rad(90) for degrees' \
    'assemblages.lua:3: transform.angle is in radians, got -90' 'systems/spawner.lua:2: light.cone is in radians, got 120' \
    'systems/spawner.lua:2: transform.angle is in radians, got -45' 'scenes/yard.json:2: light.cone is in radians, got 60' \
    'scenes/hall.lua:2: transform.angle is in radians, got 180' <<'LUA'
return { lamp = { components = { transform = { angle = 6.2832 },
  light = { cone = 90, angle = 2 * math.pi } } },
  turret = { components = { transform = { angle = -90 }, emitter = { spin = 90 } } } }
LUA
  rm -rf game/scenes game/systems
}
it "constants of more than a full turn in fields with radians are reported" degrees

defaults() {
  printf 'return { motion = {\n  speed = "85",\n  turn = shoal.types.f32(90, { unit = "rad" }), name = shoal.types.string "5", tag = "5a" } }\n' \
    >game/components.lua
  echo 'return {}' >game/game.lua
  run_for 30 "$release" run game --headless --ticks 2
  exits 0
  [ "$(grep -c '^warn.*motion' err)" = 2 ] || fail "expected 2 warnings: $(cat err)"
  says err 'components.lua:2: motion.speed is the string "85", not a number: write 85, or shoal.types.string "85"'
  says err 'components.lua:3: motion.turn is in radians, got 90'
}
it "defaults that are numbers in quotes, or angles in degrees, are reported" defaults

quoted_in_a_reload() {
  trap stop_program EXIT
  rm -rf game && mkdir game
  echo "return {}" >game/game.lua
  echo 'return { motion = { speed = 85 } }' >game/components.lua
  echo 'return {}' >game/assemblages.lua
  launch "$release" run game --headless --watch
  expect_log "seed"
  mark_log
  echo 'return { motion = { speed = "fast" } }' >game/components.lua
  expect_log 'components.lua:1: motion.speed was a number (f32) and is now a string (default "fast")'
}
it "a reload that changes a number field to a string field is reported" quoted_in_a_reload

degrees_in_a_map() {
  echo 'return {}' >game/components.lua
  mkdir -p game/assets
  cat >game/assets/yard.tmj <<'END'
{ "orientation": "orthogonal", "width": 1, "height": 1, "tilewidth": 16, "tileheight": 16, "tilesets": [],
  "layers": [ { "type": "objectgroup", "name": "o", "objects": [ { "id": 1, "type": "lamp", "x": 4, "y": 4, "point": true,
    "properties": [ { "name": "light.cone", "type": "float", "value": 90 } ] } ] } ] }
END
  echo 'return { lamp = { components = { transform = {}, light = {} } } }' >game/assemblages.lua
  echo 'return { start = function() world.spawn(nil, { transform = {}, tilemap = { map = "yard.tmj" } }) end }' >game/game.lua
  run_for 30 "$release" run game --headless --ticks 3
  exits 0
  says err "yard.tmj: property light.cone is in radians, got 90, which is more than a full turn: write 1.5708 for 90 degrees"
}
it "a property of a map object in degrees is reported" degrees_in_a_map

declares_clips() { # sheets for hero.png, with the clips walk and idle, and for ghost.png, with the clip float
  mkdir -p game/assets
  cp "$root/scripts/examples/sprites/assets/slime.png" game/assets/hero.png
  cp game/assets/hero.png game/assets/ghost.png
  echo '{ "grid": { "width": 8, "height": 8, "count": 2 }, "clips": { "walk": { "from": 1, "to": 2 },
    "idle": { "from": 1, "to": 1 } } }' >game/assets/hero.json
  echo '{ "grid": { "width": 8, "height": 8, "count": 2 }, "clips": { "float": { "from": 1, "to": 2 } } }' \
    >game/assets/ghost.json
}
clips_of_states() {
  declares_clips
  hero='the sheet of hero.png (clips: walk, idle)'
  warns "assemblages.lua:5: animation.clip: $hero has no clip wlak: did you mean walk?" \
    "assemblages.lua:6: animation.clip: the sheet of ghost.png (clips: float) has no clip fly" <<'END2'
return { hero = { components = { transform = {}, sprite = { image = "hero.png" }, animation = { clip = "idle" } },
  states = {
    initial = "idle",
    idle = { animation = { clip = "idle" } },
    walking = { animation = { clip = "wlak" } },
    dead = { sprite = { image = "ghost.png" }, animation = { clip = "fly" } },
    rising = { sprite = { image = "ghost.png" }, animation = { clip = "float" } },
  } },
  brave = { is = "hero" } }
END2
}
it "a clip in a state that the image's sheet lacks is reported once, with file and line" clips_of_states

clips_of_components() {
  declares_clips
  warns "assemblages.lua:2: animation.clip: the sheet of hero.png (clips: walk, idle) has no clip run" <<'END2'
return { hero = { components = { transform = {}, sprite = { image = "hero.png" },
  animation = { clip = "run" } } } }
END2
}
it "a clip of a component that the image's sheet lacks is reported with file and line" clips_of_components

# lit AMBIENT COUNT: draws a game whose camera has this ambient light; this many warnings about light are expected.
lit() {
  mkdir -p lit
  echo "return { start = function() world.spawn(nil, { transform = {}, camera = {}$1 })
    world.spawn(nil, { transform = {}, light = {} }) end }" >lit/game.lua
  SDL_VIDEODRIVER=offscreen run_for 60 "$release" run lit --no-watch --no-cockpit --ticks 5
  exits 0
  [ "$(grep -c '^warn: light: the world has lights but no ambient' err)" = "$2" ] ||
    fail "expected $2 warnings: $(cat err)"
}
it "lights in a world without ambient light are reported once" lit "" 1
it "lights in a world with ambient light are not reported" lit ", ambient = {}" 0
