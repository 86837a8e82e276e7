-- On a click, finds nearby bodies with a function of the plugin, and pushes the pebbles among them away.
local REACH = 170

local function push_away(x, y)
  local near, count = shoal.plugins.physics.near(x, y, REACH, 0xffffffff)
  for i = 1, count do
    local e = near[i]
    if e:has("pebble") then
      local dx, dy = e.transform.x - x, e.transform.y - y
      local far = math.max(20, math.sqrt(dx * dx + dy * dy))
      shoal.plugins.physics.push(e, dx / far * 150 * (1 - far / (REACH + 30)),
        dy / far * 150 * (1 - far / (REACH + 30)) - 30)
    end
  end
end

return {
  update = function(dt)
    local blast = world.single.blast
    blast.age = math.min(9, blast.age + dt)
    if input.pressed("push") then
      blast.x, blast.y = input.mouse()
      blast.age = 0
      push_away(blast.x, blast.y)
    end
  end,
}
