-- The traveller takes the coins that he comes to; the purse goes along from place to place.
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
