-- Chooses the section of the music from the wanderer's position and the distance of the enemy.
local CAVE = 900

return {
  after = "take",
  update = function()
    local heat = world.single.heat.value
    local chased = world.single.music.section == "chase" and heat > 0.35 or heat > 0.6
    music.section(world.find("wanderer").transform.x > CAVE and "cave" or chased and "chase" or "calm")
  end,
}
