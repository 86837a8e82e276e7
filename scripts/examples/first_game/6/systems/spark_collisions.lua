-- Handles collisions of the spark. `a` is the body whose layer is listed first in game.lua.
return {
  on = {
    collision_began = function(ev)
      for i = 1, ev.count do
        local spark, other = ev.a[i], ev.b[i]
        if spark:has("spark") and other:has("worm") then
          world.emit("gathered", { spark = spark, worm = other })
        elseif spark:has("spark") and other:has("hungry") then
          world.emit("bitten", { spark = spark, moth = other })
        end
      end
    end,
    gathered = function(ev)
      for i = 1, ev.count do
        local spark, worm = ev.spark[i], ev.worm[i]
        if spark:alive() and worm:alive() then -- either may have died since the collision
          spark.spark.warmth = math.min(1, spark.spark.warmth + 0.12)
          world.single.game.score = world.single.game.score + 1
          audio.play("gather.wav", { volume = 0.5, pitch = 0.8 + 0.5 * spark.spark.warmth, pitch_variation = 0.05 })
          world.spawn("puff", { transform = { x = worm.transform.x, y = worm.transform.y } })
          worm:destroy()
        end
      end
    end,
  },
}
