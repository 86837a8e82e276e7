-- Makes a dish grow with the number of guests who like it. Every 90 ticks, selects another dish; its guests, found with
-- a query over the pair, swell.
return {
  after = "fate",
  update = function()
    for dish in world.each "dish" do
      dish.shape.radius = 12 + 2.2 * #world.who_targets(dish, "likes")
    end
    local shown = math.floor(world.tick / 90) % 7 + 1
    for dish in world.each "dish" do
      if dish.dish.place == shown then
        local q = world.query { "guest", likes = dish }
        for i = 1, q.count do
          q.guest.joy[i] = math.min(1, q.guest.joy[i] + 0.15)
        end
      end
    end
    local all = world.query { "guest", "shape" }
    for i = 1, all.count do
      all.guest.joy[i] = all.guest.joy[i] * 0.94
      all.shape.radius[i] = 9 + 6 * all.guest.joy[i]
    end
  end,
}
