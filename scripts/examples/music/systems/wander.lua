-- The wanderer goes to and fro and takes stars; the sections follow from where it is.
local CAVE, LEFT, RIGHT = 900, 130, 1150

return {
  query = { "wanderer", "transform" },
  each = function(e, dt)
    local at = e.transform
    at.x = at.x + e.wanderer.speed * dt
    at.y = 330 + 10 * math.sin(world.tick * 0.16)
    if at.x > RIGHT or at.x < LEFT then
      e.wanderer.speed = -e.wanderer.speed
    end
    if input.pressed("star") then
      world.spawn("star", { transform = { x = at.x + (e.wanderer.speed > 0 and 90 or -90), y = 330 } })
    end
    for star in world.each { "star", "transform" } do
      local x, y = star.transform.x - at.x, star.transform.y - at.y
      if math.abs(x) < 20 and math.abs(y) < 140 then
        music.sting("star")
        world.spawn("gleam", { transform = { x = star.transform.x, y = star.transform.y } })
        star:destroy()
      end
    end
    local heat = world.single.heat.value
    local chased = world.single.music.section == "chase" and heat > 0.35 or heat > 0.6
    music.section(at.x > CAVE and "cave" or chased and "chase" or "calm")
  end,
}
