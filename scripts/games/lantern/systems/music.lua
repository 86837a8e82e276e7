-- Every room has its music; the Snuffer's begins when he wakes. How near danger is, the music follows by itself.
local looks, rooms = assets.json "rooms.json", require "lib.rooms"
local AFRAID, CLOSE = 110, 30 -- pixels

local function danger()
  local play = world.single.play
  if not play.hero:alive() then return 0 end
  local at, nearest = play.hero.transform, AFRAID
  for foe in world.each { "foe", "transform" } do
    local x, y = foe.transform.x - at.x, foe.transform.y - at.y
    nearest = math.min(nearest, math.sqrt(x * x + y * y))
  end
  return math.min(1, (AFRAID - nearest) / (AFRAID - CLOSE))
end

return {
  phase = "post_update",
  every = 20,
  update = function()
    local name, boss = rooms.name(), world.find("Snuffer")
    local still = name == "throne" and (not boss or boss:state() == "asleep" or boss:state() == "dying")
    if still then music.stop() else music.play(looks[name].music) end
    local near = world.single.danger
    near.near = near.near + (danger() - near.near) * 0.3
  end,
}
