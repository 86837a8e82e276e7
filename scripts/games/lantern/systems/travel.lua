-- Moves the hero to another room: fades out, swaps the rooms, fades in. Meanwhile the hero cannot move.
local rooms = require "lib.rooms"

local function arrive(travel)
  local hero, arrival = world.single.play.hero, world.find(travel.to).transform
  hero.transform.x, hero.transform.y = arrival.x, arrival.y
  hero.knock.x, hero.knock.y = 0, 0
  rooms.look_at(arrival.x, arrival.y)
  local boss = rooms.name() == "throne" and world.find("Snuffer")
  if boss and boss:state() == "asleep" then hero:sequence("awakening") end
end

return {
  phase = "pre_update",
  after = { "stage", "puppet", "pilot" },
  update = function(dt)
    local travel, hero = world.single.travel, world.single.play.hero
    if travel.stage == "none" then return end
    if hero:alive() then hero.intent.x, hero.intent.y, hero.intent.strike, hero.intent.cast = 0, 0, false, false end
    if travel.stage == "leaving" then
      travel.dark = math.min(1, travel.dark + 5 * dt)
      if travel.dark == 1 then
        rooms.show(travel.to:match "^[^.]+")
        travel.stage = "waiting"
      end
    elseif travel.stage == "waiting" and rooms.is_current(travel.to:match "^[^.]+") then
      arrive(travel)
      travel.stage, travel.at = "arriving", world.tick
    elseif travel.stage == "arriving" then
      travel.dark = math.max(0, travel.dark - 3.5 * dt)
      if travel.dark == 0 then travel.stage = "none" end
    end
  end,
  on = {
    travel = function(ev)
      local travel = world.single.travel
      if travel.stage == "none" then
        travel.to, travel.stage = ev.to[1], "leaving"
        world.emit("noise", { file = "door.wav", x = world.find("eye").transform.x, volume = 0.4 })
      end
    end,
  },
}
