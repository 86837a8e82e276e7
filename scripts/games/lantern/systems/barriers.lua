-- Opens gates and doors, shuts the gate of the throne room, and shows fire in lit braziers. The gate of the hall opens
-- when all braziers of the hall are lit.
local function open_barrier(e)
  e.sprite.frame = 2
  e.body.enabled = false
  world.emit("noise", { file = "gate.wav", x = e.transform.x })
  world.find("eye").shaken.trauma = 0.5
  for _ = 1, 3 do
    world.spawn("puff", { transform = { x = e.transform.x - 14 + 28 * world.random(), y = e.transform.y - 4 } })
  end
end

return {
  query = { "brazier", "sprite" },
  each = function(e)
    if e.brazier.lit and not e:has "light" then
      e:add("animation", { clip = "burn" })
      e:add("light", { radius = 50 })
      world.emit("noise", { file = "kindle.wav", x = e.transform.x })
      world.emit("burst", { x = e.transform.x, y = e.transform.y - 14, specks = 12, speed = 60, colour = "#f0a456" })
      world.emit("kindled", { brazier = e })
    end
  end,
  on = {
    kindled = function()
      local gate = world.find("gate")
      if not gate or world.single.play.room:name() ~= "hall" or not gate.body.enabled then return end
      for e in world.each("brazier") do
        if not e.brazier.lit and e:assemblage() == "brazier" then return end
      end
      world.emit("opens", { barrier = gate })
    end,
    opens = function(ev)
      for i = 1, ev.count do open_barrier(ev.barrier[i]) end
    end,
    shuts = function()
      local gate = world.find("throne gate") --[[@as shoal.Entity]]
      gate.sprite.frame, gate.body.enabled = 1, true
      world.emit("noise", { file = "gate.wav", x = gate.transform.x })
      world.find("eye").shaken.trauma = 0.6
    end,
  },
}
