local inventory = require "lib.inventory"
local FOUND = { "wood", "iron", "fibre" }

return {
  query = { "crafter" },
  update = function(q) -- a tenth of the crafters find something
    for i = world.tick % 10 + 1, q.count, 10 do
      inventory.give(q.entity[i], FOUND[(i + world.tick) % 3 + 1], 1)
    end
  end,
}
