-- Assemblages: the templates for the game's entities.
local looks, menu, powerups = assets.json "looks.json", require "menu", require "lib.powerups"
local button = menu.button

local function create_body(width, height, category, mask)
  return { kind = "box", width = width, height = height, category = category, mask = mask }
end

-- Returns the sprite of a figure: a white frame of the sheet, coloured by the tint.
local function create_sprite(frame, colour)
  return { image = "figures.png", frame = frame, width = 72, height = 40, tint = colour, layer = 2 }
end

-- Returns the assemblage of a power-up: a falling ring with a letter. `kind`: the component that the cannon gets.
local function create_powerup(kind)
  local colour = powerups.colours[kind]
  return { components = { transform = {}, powerup = { kind = kind }, mover = { vy = 150 }, sensor = {}, lifetime = 5,
    body = create_body(34, 34, "powerup", "cannon"),
    shape = { radius = 17, filled = false, thickness = 3, colour = colour, layer = 3, blend = "add" } },
    children = { { components = { transform = { y = -12 },
      text = menu.text(24, { value = powerups.letters[kind], layer = 3, colour = colour }) } } } }
end

return {
  eye = { components = { name = "eye", transform = { x = 640, y = 360 }, shaken = { pixels = 22 },
    camera = { bloom = 0.7, background = { 0.008, 0.008, 0.028, 1 } } } },
  cannon = { components = { name = "cannon", transform = { x = 640, y = looks.cannon_y }, cannon = {},
    sprite = create_sprite(9, looks.cyan), body = create_body(50, 22, "cannon", { "bomb", "powerup" }) } },
  invader = { components = { transform = { scale_x = 0, scale_y = 0 }, invader = {},
    sprite = create_sprite(1, looks.green), body = create_body(46, 32, "invader", { "shot", "cell" }) } },
  corpse = { components = { transform = {}, sprite = create_sprite(1, looks.green), lifetime = 0.3,
    material = { flash = { 1, 1, 1, 1 }, dissolve_colour = { 1, 1, 1, 1 } } } },
  saucer = { components = { transform = { y = looks.saucer_y }, saucer = {}, mover = {}, sensor = {},
    sprite = create_sprite(7, looks.red), animation = { clip = "saucer" }, body = create_body(64, 30, "saucer", "shot"),
    lifetime = 8.3, sound = { file = "saucer.wav", loop = true, volume = 0.25, fade_in = 0.2, fade_out = 0.1 },
    sound_space = { range = 2000, within = 500 } } },
  boss = { components = { transform = { x = 640, y = looks.boss_y, scale_x = 0, scale_y = 0 }, boss = {},
    sprite = { image = "figures.png", frame = 10, width = 252, height = 140, tint = looks.red, layer = 2 },
    animation = { clip = "boss" }, body = create_body(220, 100, "saucer", "shot") } },
  cell = { components = { transform = {}, cell = {},
    body = create_body(8, 8, "cell", { "shot", "bomb", "invader" }),
    shape = { kind = "rect", width = 8, height = 8, colour = { 0.18, 0.85, 0.48, 1 }, layer = 1 } } },
  shot = { components = { transform = {}, shot = {}, mover = { vy = -looks.shot_speed }, sensor = {},
    lifetime = 0.72, body = create_body(6, 26, "shot", { "bomb", "invader", "cell", "saucer" }),
    shape = { kind = "rect", width = 4, height = 24, colour = { 1.4, 1.8, 1.9, 1 }, layer = 3, blend = "add" } } },
  bomb = { components = { transform = {}, bomb = {}, mover = {}, sensor = {}, lifetime = 3,
    body = create_body(8, 24, "bomb", { "shot", "cell", "cannon" }),
    shape = { kind = "line", points = "-5,-14 5,-7 -5,0 5,7 -5,14", thickness = 4, colour = { 1.8, 0.9, 0.35, 1 },
      layer = 3, blend = "add" } } },
  triple_powerup = create_powerup("triple"),
  rapid_powerup = create_powerup("rapid"),
  shield_powerup = create_powerup("shield"),
  letter = { components = { ["menu.backdrop"] = {}, transform = {}, text = menu.text(136, { layer = 6 }) } },
  guest = { components = { ["menu.backdrop"] = {}, transform = { y = 300 }, sprite = create_sprite(1, looks.green),
    animation = {} } },
  banner = { components = { transform = { x = 640, scale_x = 0, scale_y = 0 }, text = menu.text(84, { layer = 6 }) } },
  popup = { components = { transform = {}, lifetime = 0.9, text = menu.text(40, { layer = 6, colour = looks.gold }) } },
  spark = { components = { transform = {}, lifetime = 0.6,
    shape = { kind = "rect", width = 5, height = 5, layer = 4, blend = "add" } } },
  ring = { components = { transform = {}, lifetime = 0.6,
    shape = { radius = 8, filled = false, thickness = 3, layer = 2, blend = "add" } } },
  title_menu = menu.panel { button("@menu.play", "play"), button("@menu.options", "menu.options"),
    button("@menu.quit", "menu.quit") },
  over_menu = menu.settling(menu.panel { button("@menu.play_again", "play"),
    button("@menu.quit_to_title", "pause.leave") }),
}
