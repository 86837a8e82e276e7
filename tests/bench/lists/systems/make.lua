local bag, recipes = require "lib.bag", require "lib.recipes"

return {
  after = "gather",
  query = { "crafter", "bag" },
  each = function(e)
    local items, recipe = e.bag.items, recipes[e.crafter.makes]
    for _, need in ipairs(recipe.needs) do
      if bag.count(items, need[1]) < need[2] then
        e.crafter.failures = e.crafter.failures + 1
        return
      end
    end
    for _, need in ipairs(recipe.needs) do bag.take(items, need[1], need[2]) end
    items:add(recipe.gives)
    e.crafter.made = e.crafter.made + 1
  end,
}
