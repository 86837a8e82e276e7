-- The traveller collects the coins it reaches. The purse keeps its value from scene to scene.
return {
  after = "goes",
  query = { "coin", "transform" },
  each = function(e)
    if math.abs(e.transform.x - world.find("traveller").transform.x) < 22 then
      e:destroy()
      world.single.purse.coins = world.single.purse.coins + 1
    end
  end,
}
