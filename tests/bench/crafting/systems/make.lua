local inventory, recipes = require "lib.inventory", require "lib.recipes"

return {
  after = "gather",
  query = { "crafter" },
  each = function(e)
    local crafter = e.crafter
    crafter.timer = crafter.timer - 1
    if crafter.timer > 0 then return end
    local recipe = recipes[crafter.makes]
    crafter.timer = recipe.ticks
    for _, need in ipairs(recipe.needs) do
      local found = inventory.find(e, need[1])
      if not found or found.stack.count < need[2] then
        world.single.workshop.failures = world.single.workshop.failures + 1
        return
      end
    end
    for _, need in ipairs(recipe.needs) do inventory.take(e, need[1], need[2]) end
    inventory.give(e, crafter.makes, 1)
    crafter.made = crafter.made + 1
  end,
}
