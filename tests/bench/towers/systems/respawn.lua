return {
  after = "shoot",
  on = {
    creep_killed = function(ev)
      local purse = world.single.purse
      for _ = 1, ev.count do
        purse.gold, purse.kills = purse.gold + 5, purse.kills + 1
        local n = purse.kills
        world.spawn("creep", {
          transform = { x = 60 + n * 37 % 1880, y = 100 + n % 8 * 200 + n % 250 / 128 },
          creep = { leg = n % 8 * 2 + 1, speed = 40 + n % 500 / 10 },
        })
      end
    end,
  },
}
