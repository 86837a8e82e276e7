-- Reads, writes and appends to lists of entities in native code. Checked by cases/list.lua.
return {
  after = "list_columns",
  query = { "bag", "target", "marker", "stocked" },
  each = function(e)
    local items, other, lookup = e.bag.counts, e.target.entity.bag, world.lookup("bag")
    local first = lookup.counts[e.target.entity]
    if e.bag.deep.flags[1] and e.bag.deep.kinds[1] == "b" and #items > 0 and #items < 8 then
      items[1] = (items[1] or 0) + (other.counts[1] or 0) + #other.counts
    end
    if first and #first == 8 then
      items:add(5)
    end
  end,
}
