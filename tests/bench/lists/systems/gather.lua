return {
  query = { "crafter", "bag" },
  each = function(e)
    local items, id = e.bag.items, e.crafter.id
    if (id + world.tick) % 4 == 0 and #items < 10 then items:add((id * 7 + world.tick) % 3 + 1) end
  end,
}
