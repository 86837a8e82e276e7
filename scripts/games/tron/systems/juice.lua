-- Visual, audio and rumble feedback for events; the amounts are in assets/bursts.json.
local looks, kinds = assets.json "looks.json", assets.json "bursts.json"

local function spawn_burst(kind, side, x, y, text)
  local match, effect = world.single.match, kinds[kind]
  local colour = looks.gems[effect.colour] or looks.colours[side] or looks.gems.purge
  for _, radius in ipairs(effect.rings or {}) do
    local e = world.spawn("ring", { transform = { x = x, y = y }, shape = { colour = colour } })
    world.tween(e, "shape.radius", radius, 0.8, "quart_out")
    world.tween(e, "shape.colour.a", 0, 0.8, "quad_out")
  end
  if effect.shards then
    local colours = { "#ffffff", colour, { colour[1], colour[2], colour[3], 0 } }
    world.spawn("shards", { transform = { x = x, y = y }, emitter = { colours = colours } }):set("emitter",
      kinds.shards)
      :set("emitter", effect.shards)
  end
  if effect.shake then
    for e in world.each("shaken") do e.shaken.trauma = math.min(1, e.shaken.trauma + effect.shake) end
    if side <= match.players then input.rumble(effect.shake, 0.4 * effect.shake, side) end
  end
  if text ~= "" or effect.words then
    local e = world.spawn("popup", { transform = { x = x, y = y - 20 },
      text = { value = effect.words or text, colour = colour, size = effect.words and 30 or 64,
        space = text ~= "" and "screen" or "world" } })
    world.tween(e, "transform.y", y - 70, 1, "quad_out")
    world.tween(e, "text.colour.a", 0, 1, "expo_in")
  end
  if kind == "crashed" then match.stop = 5 end
  audio.play(effect.sound, { volume = effect.volume, pitch = effect.pitch
    or 1, x = x, y = 360, range = 2000, within = 700 })
end
return { after = "gems", on = { burst = function(ev)
  for i = 1, ev.count do spawn_burst(ev.kind[i], ev.side[i], ev.x[i], ev.y[i], ev.words[i]) end
end } }
