-- Visual, audio and rumble feedback for events; the amounts are in assets/bursts.json.
local kinds = assets.json "bursts.json"

local function spawn_burst(kind, x, y, text)
  local effect = kinds[kind]
  if effect.specks > 0 then
    world.spawn("specks", { transform = { x = x, y = y }, emitter = { burst = effect.specks, colour = effect.colour } })
  end
  if text ~= "" then
    local top = y - 26 - 15 * world.random(0, 2) -- at different heights, so that numbers do not cover each other
    local e = world.spawn("popup", { transform = { x = x + world.random(-20, 20), y = top },
      text = { value = text, colour = effect.colour } })
    world.tween(e, "transform.y", top - 40, 0.9, "quad_out")
    world.tween(e, "text.colour.a", 0, 0.9, "expo_in")
  end
  world.find("eye").shaken.trauma = math.min(1, world.find("eye").shaken.trauma + (effect.shake or 0))
  if effect.shake and not world.single.match.demo then input.rumble(effect.shake, 0.15) end
  audio.play(effect.sound, { volume = effect.volume, x = x, y = 360, range = 2000, within = 600,
    pitch_variation = 0.08 })
end

return { after = "wounds", on = { burst = function(ev)
  for i = 1, ev.count do spawn_burst(ev.kind[i], ev.x[i], ev.y[i], ev.words[i]) end
end } }
