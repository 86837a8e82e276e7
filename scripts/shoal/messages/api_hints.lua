-- Hints for names that other engines use: ends of error messages that name the equivalent in Shoal. report.find_nearest
-- finds misspelled names, but not names that differ as much as these.

local need = ...
local report = need("base/report")

---@class engine.api_hints
local M = {}

local RENDER = "draw in a system in phase \"render\": return { phase = \"render\", update = function(dt) … end }"
local START = "use start = function() … end, which runs once when the game begins"
local UPDATE_SYSTEM = "write a system, systems/NAME.lua: return { update = function(dt) … end }"
local EACH_SYSTEM =
  "write a system, systems/NAME.lua: return { query = { \"transform\" }, each = function(e, dt) … end }"
local DOWN = "use input.down(\"left\") with left = \"key:left\" in input.lua"
local PRESSED = "use input.pressed(\"jump\"), which is true in the tick in which the key goes down"
local AXES = "use one axis each: input.axis(\"x\") with x = { negative = \"key:left\", positive = \"key:right\" } "
  .. "in input.lua"
local TRANSFORM = "use the component transform = { x = 10, y = 20 }, e.transform.x"
local SPEED = "use mover = { vx = 10, vy = 0 }, or declare a component of your own in components.lua"
local SPAWN = "use world.spawn(\"hero\", { transform = { x = 10, y = 20 } })"
local SCALE = "use transform.scale_x and scale_y"
local SPRITE = "use sprite = { image = \"hero.png\" } for a file in assets/"
local BODY = "use body = { kind = \"box\", width = 16, height = 16 }: it stops movers and reports collisions"
local COLLISION_BEGAN = "use collision_began, or `collision` for every tick"

-- Hints by owner, then by names: each key lists all names with the same hint, separated by spaces.
local BY_OWNER = {
  input = {
    ["get held isDown is_action_pressed is_down is_pressed key keyboard left right up"] = DOWN,
    ["get_axis get_vector horizontal vector vertical"] = AXES,
    ["is_action_just_pressed just_pressed keypressed"] = PRESSED,
  },
  world = {
    ["add create instantiate new"] = SPAWN,
    ["change_scene goto_scene level"] = "use world.scene(\"one\") to start scenes/one.lua",
    ["delay timer wait"] = "use world.after(seconds, \"event\")",
    ["delete destroy kill remove"] = "use e:destroy()",
    ["dialog dialogue say"] = "use a sequence, e:sequence(\"intro\"), and an entity that shows its text, "
      .. "world.spawn(nil, { dialogue = {} })",
    ["cam camera"] = "spawn a camera entity: { transform = {}, camera = {}, follow = { target = e } }",
    draw = RENDER,
    entities = "use world.each(\"transform\") for all entities with a component",
    exit = "use world.quit()",
    get = "use world.find(\"hero\") to find an entity by name",
    reset = "use world.restart()",
    settings = "use settings.NAME, declared in settings.lua",
  },
  draw = {
    clear = "set the camera's background: camera = { background = \"#181425\" }",
    ["draw sprite"] = "use draw.image(\"hero.png\", x, y)",
    print = "use draw.text(\"Hello\", x, y, size)",
    printf = "use draw.text(\"Hello\", x, y, size, \"center\")",
    rectangle = "use draw.rect(x, y, width, height)",
    ["setColor set_color"] = "use draw.colour(1, 0.5, 0)",
    setFont = "use draw.font(\"fonts/mono.ttf\")",
  },
  audio = {
    ["load new newSource sound"] = "use audio.play(\"coin.wav\")",
  },
  assets = {
    ["image load"] = SPRITE,
    sound = "use audio.play(\"coin.wav\")",
  },
  game = {
    assemblages = "declare them in assemblages.lua",
    background = "set it on the camera: camera = { background = \"#181425\" }",
    components = "declare them in components.lua",
    ["create init load"] = START,
    ["draw render"] = RENDER,
    fullscreen = "use window = { fullscreen = true }",
    keypressed = "bind keys to actions in input.lua and use input.pressed(\"jump\")",
    pixel_art = "use window = { filter = \"pixels\" }",
    scale = "use window = { scale = \"integer\" } and set width and height to the game's own pixels",
    map = "use start = function() world.spawn(nil, { transform = {}, tilemap = { map = \"one.tmj\" } }) end",
    scenes = "use scene = \"one\" to start with scenes/one.lua",
    systems = "put each system into systems/NAME.lua",
    update = UPDATE_SYSTEM,
    vsync = "use window = { vsync = false }",
  },
  system = {
    collision = "use on = { collision_began = … }",
    ["components requires"] = "use query = { \"transform\" }",
    ["create init load ready"] = START,
    ["draw render"] = RENDER,
    observe = "use enter = function(e), leave = function(e) and changed = function(e)",
    parallel = "remove parallel: Shoal distributes compiled loops over all cores by itself",
    process = "use update = function(q, dt), or each = function(e, dt)",
  },
  phase = {
    draw = "use render",
  },
  scene = {
    draw = RENDER,
    ["init load"] = START,
    map = "use start = function() world.spawn(nil, { transform = {}, tilemap = { map = \"one.tmj\" } }) end",
    update = UPDATE_SYSTEM,
  },
  behaviour = {
    collision = "use on = { collision_began = function(self, ev) … end }",
    draw = "use render = function(self, dt)",
    ["awake init ready start"] = "use create = function(self)",
    ["properties state"] = "use fields = { hits = 3 }",
    ["process tick"] = "use update = function(self, dt)",
    ["on_destroy queue_free"] = "use destroy = function(self)",
    ["on_enable"] = "use enable = function(self)",
    ["on_disable"] = "use disable = function(self)",
    query = EACH_SYSTEM,
  },
  event = {
    ["area_entered body_entered collide collision_enter hit on_collision touch trigger"] = COLLISION_BEGAN,
    collision_exit = "use collision_ended",
  },
  component = {
    ["box collider collision hitbox rigidbody solid"] = BODY,
    ["group tag tags"] = "declare a component without fields as a tag: hero = {}",
    health = "declare a component of your own in components.lua: health = { hp = 3 }",
    ["image texture"] = SPRITE,
    ["pos position"] = TRANSFORM,
    script = "a behaviour is a component: declare it in behaviours/guard.lua and attach it with guard = {}",
    trigger = "add sensor = {} next to the body, so that it reports collisions but stops nothing",
    velocity = SPEED,
    wall = "declare a component of your own in components.lua: wall = {}",
  },
  entity = {
    ["angle rotation"] = "use e.transform.angle",
    color = "use e.sprite.tint",
    ["delete kill queue_free"] = "use e:destroy()",
    id = "an entity is its own id: compare e == other, or use world.find(\"hero\") to find an entity by name",
    is = "use e:has(\"coin\")",
    kind = "use e:assemblage()",
    ["pos position"] = TRANSFORM,
    play = "use e.animation.clip = \"walk\" for clips, audio.play(\"coin.wav\") for sounds",
    say = "use a sequence: { say = \"Hello\" } in sequences/intro.lua, started by e:sequence(\"intro\")",
    scale = "use e.transform.scale_x and scale_y",
    velocity = "use e.mover.vx",
  },
  type = {
    alias = "use renamed_from in the new component: place = { vx = 0, renamed_from = { vx = \"drive.vx\" } }",
    boolean = "use bool",
    ["color colour"] = "use vec4",
    float = "use f32",
    ["int integer"] = "use i32",
    number = "use f64, or the number itself: speed = 3",
    vec = "use vec2",
  },
}

-- Hints by component, and for each component by names of fields. A key can have several names, separated by spaces.
local BY_FIELD = {
  transform = {
    ["pos position"] = "use x and y",
    rotation = "use angle",
    scale = "use scale_x and scale_y",
  },
  sprite = {
    ["alpha opacity"] = "use the fourth number of tint",
    ["color colour"] = "use tint",
    ["file path texture"] = "use image",
    flip_x = "use flip",
    frame_width = "declare a sheet: hero.json next to hero.png, { \"grid\": { \"width\": 16, \"height\": 16 } }",
    scale = SCALE,
    x = "use transform.x",
    y = "use transform.y",
  },
  text = {
    ["string text"] = "use value",
    x = "use transform.x",
    y = "use transform.y",
  },
  body = {
    ["shape type"] = "use kind",
    size = "use width and height",
    solid = "every body stops movers unless the entity has sensor = {}",
    trigger = "add sensor = {} next to the body, so that it reports collisions but stops nothing",
    x = "use offset_x",
    y = "use offset_y",
  },
  animation = {
    ["animation current name play"] = "use clip",
  },
  mover = {
    gravity = "add it in a system: e.mover.vy = e.mover.vy + 600 * dt",
    grounded = "use on_floor",
    jump = "use e.mover.vy = -200",
    ["speed velocity"] = "use vx and vy",
    x = "use vx",
    y = "use vy",
  },
  camera = {
    color = "use background",
    target = "use follow = { target = e }",
    x = "use transform.x",
    y = "use transform.y",
  },
  tilemap = {
    ["file image path source"] = "use map",
  },
  sound = {
    ["clip name src"] = "use file",
  },
  shape = {
    fill = "use filled",
    size = "use radius, or width and height",
    x = "use transform.x",
    y = "use transform.y",
  },
}

for _, owners in ipairs { BY_OWNER, BY_FIELD } do
  for owner, meanings in pairs(owners) do
    local by_name = {}
    for names, hint in pairs(meanings) do
      for name in names:gmatch("%S+") do
        by_name[name] = hint
      end
    end
    owners[owner] = by_name
  end
end

---@param owner string a key of BY_OWNER such as "input"; with `is_component`, the name of a component
---@param name any
---@param is_component boolean?
---@return string text ": use …", or "" if the name is unknown
function M.find_hint(owner, name, is_component)
  local names = (is_component and BY_FIELD or BY_OWNER)[owner]
  local hint = names and names[name]
  return hint and ": " .. hint or ""
end

-- Like M.find_hint, but returns the suggestion " (did you mean …?)" if there is no hint. Used for messages that
-- continue with "; available: …".
---@param owner string
---@param name any
---@param t table the valid names
---@param is_component boolean?
---@return string
function M.suggest(owner, name, t, is_component)
  local hint = M.find_hint(owner, name, is_component)
  return hint ~= "" and hint or report.suggest(name, t)
end

return M
