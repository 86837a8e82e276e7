-- Visual, audio and rumble feedback for events; the amounts are in assets/bursts.json.
local kinds = assets.json "bursts.json"

local function burst(kind, x, y, words)
  local how = kinds[kind]
  if how.specks > 0 then
    world.spawn("specks", { transform = { x = x, y = y }, emitter = { burst = how.specks, colour = how.colour } })
  end
  if words ~= "" then
    local e = world.spawn("popup", { transform = { x = x + world.random(-8, 8), y = y - 26 },
      text = { value = words, colour = how.colour } })
    world.tween(e, "transform.y", y - 66, 0.9, "quad_out")
    world.tween(e, "text.colour.a", 0, 0.9, "expo_in")
  end
  world.find("eye").shaken.trauma = math.min(1, world.find("eye").shaken.trauma + (how.shake or 0))
  if how.shake and not world.single.match.demo then input.rumble(how.shake, 0.15) end
  audio.play(how.sound, { volume = how.volume, x = x, y = 360, range = 2000, within = 600, pitch_variation = 0.08 })
end

return { after = "wounds", on = { burst = function(ev)
  for i = 1, ev.count do burst(ev.kind[i], ev.x[i], ev.y[i], ev.words[i]) end
end } }
