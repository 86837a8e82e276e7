-- A cutscene as a sequence: two people meet under a street lamp and talk (sequences/meeting.lua). The widget
-- `dialogue`, spawned with one line of code, shows the text. Press Space to continue, and up or down to select an
-- answer.

-- x and height of each house
local HOUSES = { { 92, 180 }, { 276, 240 }, { 452, 150 }, { 812, 200 }, { 1000, 270 }, { 1188, 170 } }

local function spawn_house(number, x, height)
  local top = 500 - height
  world.spawn("house", { transform = { x = x, y = top + height / 2 }, shape = { width = 172, height = height } })
  world.spawn("roof", { transform = { x = x, y = top } })
  for row = 0, math.floor(height / 75) - 1 do
    for column = -1, 1 do
      local is_lit = (number * 7 + row * 3 + column) % 4 == 0
      world.spawn("window", { transform = { x = x + column * 48, y = top + 40 + row * 72 },
        shape = { colour = is_lit and { 1.5, 0.95, 0.35, 1 } or { 0.1, 0.11, 0.2, 1 } } })
    end
  end
end

local function spawn_street()
  for i = 0, 23 do
    world.spawn("sky", { transform = { y = 10 + i * 21 },
      shape = { colour = { 0.1 + 0.011 * i, 0.13 + 0.008 * i, 0.3 + 0.011 * i, 1 } } })
  end
  world.spawn("stars")
  world.spawn("moon")
  for number, house in ipairs(HOUSES) do spawn_house(number, house[1], house[2]) end
  world.spawn("street")
  world.spawn("kerb")
  world.spawn("post")
end

return {
  title = "Cutscene: a sequence",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    spawn_street()
    world.spawn(nil, { dialogue = {}, widget = { anchor = "bottom", margin = 56 } })
    local anna = world.spawn("figure", { name = "Anna", transform = { x = -60 }, shape = { colour = "#e8743b" },
      children = { hair = { shape = { colour = "#6b3a24" } } } })
    world.spawn("figure", { name = "Ben", transform = { x = 1340, scale_x = -1 }, shape = { colour = "#3f8fd0" },
      children = { hair = { shape = { colour = "#2c2a33" } } } })
    world.spawn("lamp", { name = "lamp" }):sequence("flicker")
    anna:sequence("meeting")
  end,
}
