-- Visual, audio and rumble feedback for events; the amounts are in assets/bursts.json.
local looks, kinds = assets.json "looks.json", assets.json "bursts.json"

-- Shows a number of the countdown in place of the previous one.
local function show_count(x, y, text, colour)
  if world.find("count") then world.find("count"):destroy() end
  local e = world.spawn("popup", { name = "count", transform = { x = x, y = y - 20 },
    text = { value = text, colour = colour, size = 84, space = "screen" } })
  world.tween(e, "transform.scale_x", 1, 0.25, "back_out", { from = 1.8 })
  world.tween(e, "transform.scale_y", 1, 0.25, "back_out", { from = 1.8 })
  world.tween(e, "text.colour.a", 0, 0.6, "expo_in")
end

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
  if kind == "count" or kind == "start" then
    show_count(x, y, text, colour)
  -- Words are shown only for players, not for the AI's cycles.
  elseif text ~= "" or effect.words and side <= match.players then
    x, y = math.max(160, math.min(1120, x)), math.max(170, y) -- keeps the words inside the arena
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
