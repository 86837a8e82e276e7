local values = require "values"
return { after = "e_single", update = function()
  values.check("after e_single")
  world.emit("hit", { power = world.random() })
  if world.tick % 100 == 99 then
    print(("checked %d ticks"):format(world.tick + 1))
  end
end }
