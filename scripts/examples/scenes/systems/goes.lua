-- The traveller takes coins, and goes on to the next place where this one ends.
local NEXT = { shore = "summit", summit = "cellar", cellar = "shore" }
local KEYS = { one = "shore", two = "summit", three = "cellar" }

return {
  query = { "traveller", "transform" },
  each = function(e, dt)
    local at, purse = e.transform, world.single.purse
    at.x = at.x + e.traveller.speed * dt
    at.y = 506 - math.abs(math.sin(world.tick * 0.16)) * 9
    for coin in world.each { "coin", "transform" } do
      if math.abs(coin.transform.x - at.x) < 22 then
        coin:destroy()
        purse.coins = purse.coins + 1
      end
    end
    local wanted = at.x > 1300 and NEXT[purse.scene]
    for key, name in pairs(KEYS) do
      wanted = input.pressed(key) and name or wanted
    end
    if wanted then
      purse.scene = wanted
      world.scene(wanted)
    end
  end,
}
