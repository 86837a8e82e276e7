local bag = require "lib.bag"

return {
  after = "make",
  query = { "crafter", "bag" },
  each = function(e)
    local items = e.bag.items
    for kind = 11, 13 do
      if bag.count(items, kind) >= 3 then bag.take(items, kind, 3) end
    end
  end,
}
