-- Three ways to follow a `path`, a component with a list of points: lanterns loop, ferries go back and forth, and a
-- courier gets a new path whenever it reaches the end of the current one.
local LANTERNS, POINTS = 9, 60

-- Returns point `i` of a path around the lake in the shape of ∞.
local function create_lake(i)
  local turn = i / POINTS * 2 * math.pi
  return 480 + 380 * math.cos(turn), 270 + 150 * math.sin(2 * turn)
end

return {
  title = "Paths",
  width = 960,
  height = 540,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    local corners = {}
    for i = 0, POINTS - 1 do
      corners[i + 1] = string.format("%.1f,%.1f", create_lake(i))
    end
    for i = 0, LANTERNS - 1 do
      local at = math.floor(i * POINTS / LANTERNS)
      local x, y = create_lake(at)
      world.spawn("lantern", { transform = { x = x, y = y },
        path = { points = table.concat(corners, " "), next = at % POINTS + 1 } })
    end
    for i, x in ipairs { 300, 660 } do
      world.spawn("ferry", { transform = { x = x, y = 60 },
        path = { points = x .. ",60 " .. x .. ",480", speed = 40 + 15 * i } })
    end
    for _, stop in ipairs { { 90, 80 }, { 480, 70 }, { 870, 80 }, { 870, 460 }, { 480, 470 }, { 90, 460 } } do
      world.spawn("stop", { transform = { x = stop[1], y = stop[2] } })
    end
    world.spawn("courier", { transform = { x = 90, y = 80 } })
  end,
}
