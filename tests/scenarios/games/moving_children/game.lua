-- Heroes with a shield at their side and a tray on their head, on platforms with a wall: bodies that move because their
-- parents move. systems/check.lua reports each hero that overlaps a child body of another entity without the event
-- `crushed`.
local function box(x, y, width, height, parent, more)
  local values = {
    transform = { x = x, y = y, parent = parent },
    body = { kind = "box", width = width, height = height },
  }
  for name, value in pairs(more or {}) do values[name] = value end
  return world.spawn(nil, values)
end

return {
  title = "Moving children",
  start = function()
    for lane = 1, 20 do
      local y = lane * 200
      box(0, y + 40, 600, 40)
      local platform = box(0, y + 10, 200, 6, nil, { path = {
        points = ("0,%d 120,%d"):format(y + 10, y - 20), speed = 20 + world.random(80), back = true, next = 2 } })
      box(60, -20, 10, 40, platform, { part = { root = platform } })
      for i = 1, 3 do
        local hero = world.spawn("hero", {
          transform = { x = i * 40 - 80, y = y - 30 }, hero = { phase = world.random(50) },
        })
        if i ~= 2 then
          box(8, 0, 5, 10, hero, { part = { root = hero } })
          box(0, -12, 30, 4, hero, { part = { root = hero } })
        end
      end
    end
  end,
}
