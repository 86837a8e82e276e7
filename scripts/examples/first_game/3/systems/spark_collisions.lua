-- Handles collisions of the spark. `a` is the body with the lower category.
return {
  on = {
    collision_began = function(ev)
      for i = 1, ev.count do
        if ev.a[i]:has("spark") and ev.b[i]:has("worm") then
          world.emit("gathered", { spark = ev.a[i], worm = ev.b[i] })
        end
      end
    end,
    gathered = function(ev)
      for i = 1, ev.count do
        local spark, at = ev.spark[i].spark, ev.worm[i].transform
        spark.warmth = math.min(1, spark.warmth + 0.12)
        world.single.game.score = world.single.game.score + 1
        world.spawn("puff", { transform = { x = at.x, y = at.y } })
        ev.worm[i]:destroy()
      end
    end,
  },
}
