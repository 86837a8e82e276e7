-- Visual, audio and rumble feedback for events; the amounts are in assets/bursts.json.
local kinds = assets.json "bursts.json"
local RISE = 12 -- pixels by which numbers rise: less than the distance of two rows
local ROW, NEAR = 30, 46 -- pixels: height of a row of numbers; horizontal distance at which numbers may share a row

-- Returns the lowest row, at `y` or above it, in which no number near `x` is shown.
local function find_free_row(x, y, numbers)
  for _, number in ipairs(numbers) do
    if math.abs(number.x - x) < NEAR and math.abs(number.y - y) < ROW then
      return find_free_row(x, number.y - ROW, numbers)
    end
  end
  return y
end

-- Returns the visible damage and healing numbers, with their start positions.
local function list_numbers()
  local numbers = {}
  for e in world.each("number") do numbers[#numbers + 1] = { x = e.number.x, y = e.number.y } end
  return numbers
end

local function spawn_number(x, y, text, colour, numbers)
  x = x + world.random(-20, 20)
  local top = find_free_row(x, y - 26 - 15 * world.random(0, 2), numbers)
  numbers[#numbers + 1] = { x = x, y = top }
  local e = world.spawn("popup", { transform = { x = x, y = top }, number = { x = x, y = top },
    text = { value = text, colour = colour } })
  world.tween(e, "transform.y", top - RISE, 0.9, "quad_out")
  world.tween(e, "text.colour.a", 0, 0.9, "expo_in")
end

local function spawn_burst(kind, x, y, text, numbers)
  local effect = kinds[kind]
  if effect.specks > 0 then
    world.spawn("specks", { transform = { x = x, y = y }, emitter = { burst = effect.specks, colour = effect.colour } })
  end
  if text ~= "" then spawn_number(x, y, text, effect.colour, numbers) end
  world.find("eye").shaken.trauma = math.min(1, world.find("eye").shaken.trauma + (effect.shake or 0))
  if effect.shake and not world.single.match.demo then input.rumble(effect.shake, 0.15) end
  audio.play(effect.sound, { volume = effect.volume, x = x, y = 360, range = 2000, within = 600,
    pitch_variation = 0.08 })
end

return { after = "wounds", on = { burst = function(ev)
  local numbers = list_numbers()
  for i = 1, ev.count do spawn_burst(ev.kind[i], ev.x[i], ev.y[i], ev.words[i], numbers) end
end } }
