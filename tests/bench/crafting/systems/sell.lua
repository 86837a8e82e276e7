local PRODUCTS = { plank = true, nail = true, crate = true, rope = true, wood = false, iron = false, fibre = false }

return {
  after = "make",
  query = { "stack" },
  each = function(e)
    if e.stack.count >= 5 and PRODUCTS[e.stack.item] then e:destroy() end
  end,
}
