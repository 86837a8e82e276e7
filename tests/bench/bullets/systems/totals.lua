return {
  after = { "each_shores", "update_shores" },
  on = {
    fired = function(ev)
      local totals, count = world.single.totals, ev.count
      for i = 1, count do
        totals.fired = totals.fired + ev.number[i]
      end
    end,
    hit = function(ev)
      local totals = world.single.totals
      totals.hits = totals.hits + ev.count
      for i = 1, ev.count do
        totals.damage = totals.damage + ev.damage[i]
      end
    end,
  },
}
