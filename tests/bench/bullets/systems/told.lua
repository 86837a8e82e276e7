return {
  after = { "each_shores", "update_shores" },
  on = {
    fired = function(ev)
      local told, count = world.single.told, ev.count
      for i = 1, count do
        told.fired = told.fired + ev.number[i]
      end
    end,
    hit = function(ev)
      local told = world.single.told
      told.hits = told.hits + ev.count
      for i = 1, ev.count do
        told.damage = told.damage + ev.damage[i]
      end
    end,
  },
}
