-- Changes components, states, relations and the number of motes.
local function change(e)
  local choice = world.random(7)
  if choice == 1 then
    e:enter(e:state() == "calm" and "wild" or "calm")
    world.emit("changed_mood", { entity = e })
  elseif choice == 2 then
    e:destroy()
  elseif choice == 3 then
    e:add("arm", { reach = world.random(9) }, "arm" .. world.random(3))
  elseif choice == 4 and not e:has "bag" then
    e:add("bag", { items = { world.tick, 2 } })
  elseif choice == 5 and e:has "drift" then
    e:disable "drift"
  elseif choice == 6 and not e:has "likes" then
    e:add("likes", { target = e })
  elseif choice == 7 and not e:has "glow" then
    e:add("glow", { level = world.random(5), tint = "blue" })
  end
end

return {
  after = "drift",
  update = function()
    world.single.tally.born = world.single.tally.born + 1
    world.spawn("mote", { transform = { x = world.random(300) }, name = { value = "mote " .. 40 + world.tick } })
    for e in world.each("body", "name") do
      if world.random(8) == 1 then
        change(e)
      end
    end
  end,
}
