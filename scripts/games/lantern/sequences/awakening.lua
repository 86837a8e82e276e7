-- The hero enters the throne room, and the Snuffer wakes.
local helm = require "lib.helm"

local function find_boss() return world.find("Snuffer") end

return {
  { call = helm.take },
  { wait_for = function() return world.single.travel.stage == "none" end },
  helm.go(0, -1, 0.8),
  { call = function() world.emit("shuts") end },
  { wait = 0.5 },
  { call = function(e) e.walk.x, e.walk.y = 0, -1 world.find("eye").follow.target = find_boss() end },
  { wait = 0.9 },
  { say = "@snuffer.who", who = "@snuffer.name" },
  { call = function()
    find_boss():enter("casting")
    world.find("eye").shaken.trauma = 1
    world.emit("noise", { file = "roar.wav", x = find_boss().transform.x, volume = 0.8 })
  end },
  { wait = 0.6 },
  { say = "@snuffer.put_out", who = "@snuffer.name", seconds = 2 },
  { call = function(e) world.find("eye").follow.target = e end },
  { call = helm.free },
}
