-- What people write who come from other engines, and what it is called here: the ends of messages. Names that are only
-- misspelt are found by report.nearest; these are too far off for that.

local need = ...
local report = need("base/report")

---@class engine.meant
local M = {}

local RENDER = "systems of phase \"render\" draw: return { phase = \"render\", update = function(dt) … end }"
local START = "`start` runs once, when the game begins"
local A_SYSTEM = "systems/NAME.lua returns { update = function(dt) … end }, for each tick"
local TURN = "systems/NAME.lua returns { query = { \"transform\" }, each = function(e, dt) … end }"
local DOWN = "it is input.down(\"left\") where input.lua says left = \"key:left\""
local PRESSED = "it is input.pressed(\"jump\"), in the tick in which it goes down"
local AXES = "an axis each: input.axis(\"x\") where input.lua says x = { negative = \"key:left\", positive = "
  .. "\"key:right\" }"
local PLACE = "a place is transform = { x = 10, y = 20 }, e.transform.x"
local SPEED = "mover = { vx = 10, vy = 0 } moves its entity; speeds of your own are declared in components.lua"
local SPAWN = "it is world.spawn(\"hero\", { transform = { x = 10, y = 20 } })"
local SCALE = "it is transform.scale_x and scale_y"
local SHOWS = "sprite = { image = \"hero.png\" } shows a file of assets/"
local BODY = "body = { kind = \"box\", width = 16, height = 16 } stops movers and has collisions"
local BEGAN = "collision_began, and `collision` in each tick"

-- By who is asked for it; names that mean the same stand beside each other.
local BY_OWNER = {
  input = {
    ["get held isDown is_action_pressed is_down is_pressed key keyboard left right up"] = DOWN,
    ["get_axis get_vector horizontal vector vertical"] = AXES,
    ["is_action_just_pressed just_pressed keypressed"] = PRESSED,
  },
  world = {
    ["add create instantiate new"] = SPAWN,
    ["change_scene goto_scene level"] = "world.scene(\"one\") begins scenes/one.lua",
    ["delay timer wait"] = "it is world.after(seconds, \"event\")",
    ["delete destroy kill remove"] = "it is e:destroy()",
    ["dialog dialogue say"] = "an entity shows what sequences say: world.spawn(nil, { dialogue = {} }), and "
      .. "e:sequence(\"intro\")",
    ["cam camera"] = "a camera is an entity: { transform = {}, camera = {}, follow = { target = e } }",
    draw = RENDER,
    entities = "world.each(\"transform\") goes over those with a component",
    exit = "it is world.quit()",
    get = "world.find(\"hero\") finds by name",
    reset = "it is world.restart()",
    settings = "it is settings.NAME, declared in settings.lua",
  },
  draw = {
    clear = "a camera has a background: camera = { background = \"#181425\" }",
    ["draw sprite"] = "it is draw.image(\"hero.png\", x, y)",
    print = "it is draw.text(\"words\", x, y, size)",
    printf = "it is draw.text(\"words\", x, y, size, \"center\")",
    rectangle = "it is draw.rect(x, y, width, height)",
    ["setColor set_color"] = "it is draw.colour(1, 0.5, 0)",
    setFont = "it is draw.font(\"fonts/mono.ttf\")",
  },
  audio = {
    ["load new newSource sound"] = "it is audio.play(\"coin.wav\")",
  },
  assets = {
    ["image load"] = SHOWS,
    sound = "it is audio.play(\"coin.wav\")",
  },
  game = {
    assemblages = "they are declared in assemblages.lua",
    background = "a camera has it: camera = { background = \"#181425\" }",
    components = "components are declared in components.lua",
    ["create init load"] = START,
    ["draw render"] = RENDER,
    fullscreen = "window = { fullscreen = true }",
    keypressed = "input.lua gives keys names",
    pixel_art = "window = { filter = \"pixels\" }",
    scale = "window = { scale = \"integer\" }, and width and height as many as the game's own pixels",
    map = "start = function() world.spawn(nil, { transform = {}, tilemap = { map = \"one.tmj\" } }) end",
    scenes = "scene = \"one\" begins scenes/one.lua",
    systems = "systems are found in systems/",
    update = A_SYSTEM,
    vsync = "window = { vsync = false }",
  },
  system = {
    collision = "it is on = { collision_began = … }",
    ["components requires"] = "it is query = { \"transform\" }",
    ["create init load ready"] = START,
    ["draw render"] = RENDER,
    observe = "use enter = function(e), leave = function(e) and changed = function(e)",
    parallel = "delete it: a loop over rows is compiled and uses all cores by itself",
    process = "it is update = function(q, dt), or each = function(e, dt)",
  },
  phase = {
    draw = "it is render",
  },
  scene = {
    draw = RENDER,
    ["init load"] = START,
    map = "start = function() world.spawn(nil, { transform = {}, tilemap = { map = \"one.tmj\" } }) end",
    update = A_SYSTEM,
  },
  behaviour = {
    collision = "it is on = { collision_began = function(self, ev) … end }",
    draw = "it is render = function(self, dt)",
    ["awake init ready start"] = "it is create = function(self)",
    ["properties state"] = "it is fields = { hits = 3 }",
    ["process tick"] = "it is update = function(self, dt)",
    ["on_destroy queue_free"] = "it is destroy = function(self)",
    ["on_enable"] = "it is enable = function(self)",
    ["on_disable"] = "it is disable = function(self)",
    query = TURN,
  },
  event = {
    ["area_entered body_entered collide collision_enter hit on_collision touch trigger"] = BEGAN,
    collision_exit = "it is collision_ended",
  },
  component = {
    ["box collider collision hitbox rigidbody solid"] = BODY,
    ["group tag tags"] = "a component without fields is a tag: hero = {}",
    health = "a component of the game's own is declared in components.lua: health = { hp = 3 }",
    ["image texture"] = SHOWS,
    ["pos position"] = PLACE,
    script = "a behaviour is a component: behaviours/guard.lua declares guard, and guard = {} attaches it",
    trigger = "sensor = {} beside the body: it has collisions and stops nothing",
    velocity = SPEED,
    wall = "a component of the game's own is declared in components.lua: wall = {}",
  },
  entity = {
    ["angle rotation"] = "it is e.transform.angle",
    color = "it is e.sprite.tint",
    ["delete kill queue_free"] = "it is e:destroy()",
    id = "an entity is its own id: e == other, world.find(\"hero\") finds by name",
    is = "it is e:has(\"coin\")",
    kind = "it is e:assemblage()",
    ["pos position"] = PLACE,
    play = "clips are chosen by e.animation.clip = \"walk\", sounds played by audio.play(\"coin.wav\")",
    say = "sequences say: { say = \"Hello\" } in sequences/intro.lua, begun by e:sequence(\"intro\")",
    scale = "it is e.transform.scale_x and scale_y",
    velocity = "it is e.mover.vx",
  },
  type = {
    alias = "it is renamed_from in the new component: place = { vx = 0, renamed_from = { vx = \"drive.vx\" } }",
    boolean = "it is bool",
    ["color colour"] = "it is vec4",
    float = "it is f32",
    ["int integer"] = "it is i32",
    number = "it is f64, or the number itself: speed = 3",
    vec = "it is vec2",
  },
}

-- By component.
local BY_FIELD = {
  transform = {
    ["pos position"] = "it is x and y",
    rotation = "it is angle",
    scale = "it is scale_x and scale_y",
  },
  sprite = {
    ["alpha opacity"] = "it is tint, the fourth number of it",
    ["color colour"] = "it is tint",
    ["file path texture"] = "it is image",
    flip_x = "it is flip",
    frame_width = "a sheet: hero.json beside hero.png says { \"grid\": { \"width\": 16, \"height\": 16 } }",
    scale = SCALE,
    x = "it is transform.x",
    y = "it is transform.y",
  },
  text = {
    ["string text"] = "it is value",
    x = "it is transform.x",
    y = "it is transform.y",
  },
  body = {
    ["shape type"] = "it is kind",
    size = "it is width and height",
    solid = "every body stops movers; with sensor = {} beside it, it does not",
    trigger = "sensor = {} beside the body: it has collisions and stops nothing",
    x = "it is offset_x",
    y = "it is offset_y",
  },
  animation = {
    ["animation current name play"] = "it is clip",
  },
  mover = {
    gravity = "a system falls: e.mover.vy = e.mover.vy + 600 * dt",
    grounded = "it is on_floor",
    jump = "e.mover.vy = -200 jumps",
    ["speed velocity"] = "it is vx and vy",
    x = "it is vx",
    y = "it is vy",
  },
  camera = {
    color = "it is background",
    target = "it is follow = { target = e }",
    x = "it is transform.x",
    y = "it is transform.y",
  },
  tilemap = {
    ["file image path source"] = "it is map",
  },
  sound = {
    ["clip name src"] = "it is file",
  },
  shape = {
    fill = "it is filled",
    size = "it is radius, or width and height",
    x = "it is transform.x",
    y = "it is transform.y",
  },
}

for _, owners in ipairs { BY_OWNER, BY_FIELD } do
  for owner, meanings in pairs(owners) do
    local by_name = {}
    for names, words in pairs(meanings) do
      for name in names:gmatch("%S+") do
        by_name[name] = words
      end
    end
    owners[owner] = by_name
  end
end

---@param owner string "input", "system"; or a component's name, with `is_component`
---@param name any
---@param is_component boolean?
---@return string words ": it is …" or a sentence, or "" where it is nothing that others have
function M.of(owner, name, is_component)
  local names = (is_component and BY_FIELD or BY_OWNER)[owner]
  local words = names and names[name]
  return words and ": " .. words or ""
end

-- Stands before "; available: …": the same, or else what was misspelt.
---@param owner string
---@param name any
---@param t table the names that there are
---@param is_component boolean?
---@return string
function M.aside(owner, name, t, is_component)
  local words = M.of(owner, name, is_component)
  return words ~= "" and words or report.aside(name, t)
end

return M
