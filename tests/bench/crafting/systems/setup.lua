local PRODUCTS = { "plank", "nail", "crate", "rope" }

return {
  phase = "input",
  start = function()
    for i = 1, world.single.bench.count do
      local product = PRODUCTS[i * 7919 % 101 % 4 + 1]
      local crafter = world.spawn("crafter", { crafter = { makes = product, timer = i * 37 % 20 } })
      world.spawn("stack", { stack = { owner = crafter, item = "wood", count = 4 } })
    end
  end,
}
