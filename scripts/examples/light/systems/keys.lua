-- On the player's input, spawns a light at the mouse, or switches between night and day.
local NIGHT, DAY = { 0.1, 0.11, 0.2, 1 }, { 0.75, 0.75, 0.7, 1 }

return {
  phase = "input",
  query = { "ambient" },
  each = function(e)
    if input.pressed("light") then
      local x, y = input.mouse()
      world.spawn("own", { transform = { x = x, y = y } })
    end
    if input.pressed("day") then
      e.ambient.colour = e.ambient.colour[1] < 0.5 and DAY or NIGHT
    end
  end,
}
