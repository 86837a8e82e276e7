-- Feedback for events: dust, glints, text, camera shake, sounds and rumble. In a game with players, the events of AI
-- hunters are quieter and do not shake the camera.
local looks = assets.json "looks.json"
local popup_texts, handlers = {}, {}

local function spawn_popup(x, y, value, colour, size)
  if not value then return end
  local text = { value = value, colour = colour, size = size }
  local e = world.spawn("popup", { transform = { x = x, y = y - 16 }, text = text })
  world.tween(e, "transform.y", y - 62, 0.9, "quad_out")
  world.tween(e, "text.colour.a", 0, 0.9, "quad_in")
end
function popup_texts.picked(many, player) return player > 0 and many == 10 and "@full", looks.red, 28 end
function popup_texts.stashed(many, _, ev, i)
  return "+" .. ev.worth[i], looks.colours[ev.number[i]], 24 + 2 * math.min(8, many)
end
function popup_texts.struck(many) return many > 2 and "-" .. many .. "!", looks.red, 36 end
function popup_texts.caught() return "@caught", looks.red, 40 end

for name, kind in pairs(looks.kinds) do
  handlers[name] = function(ev)
    local match, shaken = world.single.match, world.find("eye").shaken
    for i = 1, ev.count do
      local x, y, player, pitch = ev.x[i], ev.y[i], ev.player[i], 2 ^ (math.min(14, ev.many[i]) * kind.climbs)
      local loudness = match.phase == "title" and 0.12 or (player > 0 or match.players == 0) and 1 or 0.35
      if popup_texts[name] then spawn_popup(x, y, popup_texts[name](ev.many[i], player, ev, i)) end
      world.spawn(kind.effect, { transform = { x = x, y = y } })
      audio.play(kind.sound, { volume = kind.volume * loudness, pitch = pitch, x = x, y = 360, range = 2200,
        within = 700 })
      if loudness == 1 and kind.shake then shaken.trauma = math.min(1, shaken.trauma + kind.shake) end
      if player > 0 then input.rumble(kind.rumble, 0.05 + 0.2 * kind.rumble, player) end
    end
  end
end
function handlers.wanted()
  if world.single.match.phase ~= "hunt" then return end
  spawn_popup(640, 130, "@wanted", looks.red, 44)
  audio.play("wanted.wav", { volume = 0.5 })
end
return { phase = "post_update", after = "touch", on = handlers }
