-- What a hit does to eyes, ears and hands: sparks, rings, words, the camera, the pads.
local looks = require "looks"
local KINDS = {
  fired = { colour = looks.cyan, sparks = 3, far = 26, rings = 0, sound = "shot", volume = 0.35 },
  chip = { colour = looks.green, sparks = 6, far = 40, rings = 0, sound = "chip.wav", volume = 0.35 },
  clash = { colour = looks.gold, sparks = 10, far = 60, rings = 1, wide = 30, sound = "chip.wav", volume = 0.5 },
  killed = { sparks = 14, far = 90, rings = 1, wide = 44, shake = 0.16, sound = "kill.wav", volume = 0.6 },
  saucer = { colour = looks.red, sparks = 60, far = 220, rings = 3, wide = 80, shake = 0.5, sound = "bonus.wav",
    volume = 0.7 },
  cannon = { colour = looks.cyan, sparks = 90, far = 300, rings = 4, wide = 110, shake = 1, sound = "lost.wav",
    volume = 0.9 },
}

local function fade(e, path, to, seconds)
  world.tween(e, path, to, seconds, "quad_out")
  world.tween(e, "shape.colour.a", 0, seconds, "quad_in")
end

local function burst(ev, i)
  local match, kind, x, y = world.single.match, KINDS[ev.kind[i]], ev.x[i], ev.y[i]
  local colour = kind.colour or looks.row(ev.row[i], match.wave)
  for _ = 1, kind.sparks do
    local angle, way = world.random() * 2 * math.pi, kind.far * (0.2 + 0.8 * world.random())
    local e = world.spawn("spark", { transform = { x = x, y = y }, shape = { colour = colour } })
    fade(e, "transform.x", x + math.cos(angle) * way, 0.6)
    fade(e, "transform.y", y + math.sin(angle) * way, 0.6)
  end
  for k = 1, kind.rings do
    fade(world.spawn("ring", { transform = { x = x, y = y }, shape = { colour = colour } }), "shape.radius",
      kind.wide * k, 0.6)
  end
  local killed = ev.kind[i] == "killed"
  if killed then
    local e = world.spawn("corpse", { transform = { x = x, y = y }, sprite = { frame = ev.frame[i], tint = colour } })
    world.tween(e, "transform.scale_x", 1.6, 0.3, "quad_out")
    world.tween(e, "material.dissolve", 1, 0.3, "quad_in")
  end
  local words = killed and match.combo % 8 == 0 and "x" .. match.times or ev.kind[i] == "saucer" and ev.points[i]
  if words then
    local e = world.spawn("popup", { transform = { x = x, y = y }, text = { value = tostring(words) } })
    world.tween(e, "transform.y", y - 50, 0.9, "quad_out")
    world.tween(e, "text.colour.a", 0, 0.9, "quad_in")
  end
  local pitch = killed and 2 ^ (math.min(24, match.combo) / 12) or 1 -- a combo climbs
  audio.play(kind.sound, { volume = kind.volume, pitch = pitch, x = x, y = 360, range = 2000, within = 600 })
  if kind.shake then
    local shaken = world.find("eye").shaken
    shaken.trauma = math.min(1, shaken.trauma + kind.shake)
    if not match.demo then input.rumble(kind.shake, 0.06 + 0.3 * kind.shake) end
  end
end

return { after = "march", on = { burst = function(ev) for i = 1, ev.count do burst(ev, i) end end } }
