-- A moth takes a fifth of the full warmth and is then fed for four seconds.
return {
  on = {
    bitten = function(ev)
      for i = 1, ev.count do
        local spark, moth = ev.spark[i], ev.moth[i]
        if spark:alive() and moth:alive() then -- either may have died since the collision
          spark.spark.warmth = spark.spark.warmth - 0.2
          moth:enter("fed")
          world.after(4, "digested", { moth = moth })
          world.tween(spark, "light.colour", { 1, 0.72, 0.4, 1 }, 0.6, "quad_out", { from = { 1, 0.15, 0.1, 1 } })
          for eye in world.each("shaken") do eye.shaken.trauma = 0.7 end
        end
      end
    end,
    digested = function(ev)
      for i = 1, ev.count do
        if ev.moth[i]:alive() then ev.moth[i]:enter("hunting") end
      end
    end,
  },
}
