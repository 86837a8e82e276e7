-- The traveller collects the coins that he reaches. The singleton `purse` keeps its value when the scene changes.
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
