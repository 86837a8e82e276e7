-- Feedback for hits: sparks, rings, text, sounds, camera shake and rumble.
local looks, kinds = assets.json "looks.json", assets.json "bursts.json"

local function fade(e, path, to)
  world.tween(e, path, to, 0.6, "quad_out")
  world.tween(e, "shape.colour.a", 0, 0.6, "quad_in")
end

local function burst(ev, i)
  local match, kind, x, y = world.single.match, kinds[ev.kind[i]], ev.x[i], ev.y[i]
  local colour = kind.colour and looks[kind.colour] or looks.row_colours[(ev.row[i] + match.wave) % 5 + 1]
  for _ = 1, kind.sparks do
    local angle, way = world.random() * 2 * math.pi, kind.spark_reach * (0.2 + 0.8 * world.random())
    local e = world.spawn("spark", { transform = { x = x, y = y }, shape = { colour = colour } })
    fade(e, "transform.x", x + math.cos(angle) * way)
    fade(e, "transform.y", y + math.sin(angle) * way)
  end
  for k = 1, kind.rings or 0 do
    local e = world.spawn("ring", { transform = { x = x, y = y }, shape = { colour = colour } })
    fade(e, "shape.radius", kind.ring_radius * k)
  end
  local killed = ev.kind[i] == "killed"
  if killed then
    local e = world.spawn("corpse", { transform = { x = x, y = y }, sprite = { frame = ev.frame[i], tint = colour } })
    world.tween(e, "transform.scale_x", 1.6, 0.3, "quad_out")
    world.tween(e, "material.dissolve", 1, 0.3, "quad_in")
  end
  local words = killed and match.combo % 8 == 0 and tr.key("times", { n = match.times })
    or ev.kind[i] == "saucer" and ev.points[i] or kind.words
  if words then
    local e = world.spawn("popup", { transform = { x = x, y = y }, text = { value = tostring(words) } })
    world.tween(e, "transform.y", y - 50, 0.9, "quad_out")
    world.tween(e, "text.colour.a", 0, 0.9, "quad_in")
  end
  local pitch = killed and 2 ^ (math.min(24, match.combo) / 12) or 1 -- the pitch rises with the combo
  audio.play(kind.sound, { volume = kind.volume, pitch = pitch, x = x, y = 360, range = 2000, within = 600 })
  world.find("eye").shaken.trauma = world.find("eye").shaken.trauma + (kind.shake or 0)
  if kind.shake and not match.demo then input.rumble(kind.shake, 0.06 + 0.3 * kind.shake) end
end

return { after = "march", on = { burst = function(ev) for i = 1, ev.count do burst(ev, i) end end } }
