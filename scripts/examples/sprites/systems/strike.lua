-- Outlines the slime nearest to the knight if it is within reach. A strike makes this slime flash and dissolve; a new
-- slime appears two seconds later.
local REACH = 34

local function find_nearest(knight)
  local best, min_far
  for e in world.each("slime", "transform") do
    local dx, dy = e.transform.x - knight.transform.x, e.transform.y - knight.transform.y
    local far = dx * dx + dy * dy
    if e.material.dissolve == 0 and far < REACH * REACH and (not min_far or far < min_far) then
      best, min_far = e, far
    end
  end
  return best
end

return {
  update = function()
    for knight in world.each("walker") do
      local target = find_nearest(knight)
      for e in world.each("slime", "material") do
        e.material.outline.a = e == target and 1 or 0
      end
      if target and input.pressed("strike") then
        target.material.flash.a = 1
        target.material.dissolve = 0.01
        target.animation.speed = 0
        world.tween(target, "material.flash.a", 0, 0.3)
        world.tween(target, "material.dissolve", 1, 0.7, "sine_in")
        target:add("lifetime", { seconds = 0.75 })
        world.after(2, "slime_due")
      end
    end
  end,
  on = {
    slime_due = function(ev)
      for _ = 1, ev.count do
        local e = world.spawn("slime", { transform = { x = world.random(40, 280), y = world.random(60, 160) },
          material = { dissolve = 1 } })
        world.tween(e, "material.dissolve", 0, 0.6)
      end
    end,
  },
}
