-- The Snuffer dissolves into light, and the flame returns to the lamp.
local helm = require "lib.helm"

return {
  { call = function(e)
    helm.take(e)
    world.find("eye").follow.target = world.find("Snuffer") --[[@as shoal.Entity]]
    world.tween(world.find("Snuffer") --[[@as shoal.Entity]], "material.dissolve", 1, 2.4, "sine_in")
    world.emit("noise", { file = "roar.wav", x = e.transform.x, volume = 0.8 })
  end },
  { label = "burns" },
  { call = function()
    local transform = world.find("Snuffer").transform
    world.emit("burst", { x = transform.x - 14 + 28 * world.random(), y = transform.y - 30 * world.random(),
      specks = 6, speed = 70,
      colour = world.random() < 0.5 and "#ffe186" or "#62bbd6" })
    world.find("eye").shaken.trauma = 0.5
  end },
  { wait = 0.16 },
  { jump = "burns", times = 13 },
  { call = function()
    local transform = world.find("Snuffer").transform
    local flame = world.spawn("prize", { name = "flame", transform = { x = transform.x, y = transform.y - 12 },
      sprite = { image = "fireball.png" }, lifetime = { seconds = 8 }, light = { radius = 90 } })
    world.tween(flame, "transform.y", transform.y - 30, 1, "sine_in_out", { back = true, times = 4 })
    world.find("Snuffer"):destroy()
    world.emit("noise", { file = "chest.wav", x = transform.x })
  end },
  { wait = 1.5 },
  { say = "@found.flame" },
  { call = function() world.emit("travel", { to = "yard.start" }) end },
  { wait = 0.5 },
  { wait_for = function() return world.single.travel.stage == "none" end },
  helm.go(0, -1, 0.55),
  { wait = 0.4 },
  { call = function()
    local lamp = world.find("lamp") --[[@as shoal.Entity]]
    lamp:add("animation", { clip = "burn" })
    lamp:add("light", { radius = 20, flicker = 0.5 })
    world.tween(lamp, "light.radius", 400, 4, "sine_in_out")
    world.emit("burst", { x = lamp.transform.x, y = lamp.transform.y - 16, specks = 20, colour = "#ffe186" })
    world.emit("noise", { file = "kindle.wav", x = lamp.transform.x })
  end },
  { wait = 1.5 },
  { say = "@keeper.thanks", who = "@keeper.name" },
  { call = function() world.emit("go", { to = "won" }) end },
}
