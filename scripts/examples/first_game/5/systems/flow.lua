-- Starts and ends the game.
local function out(spark)
  local at = spark.transform
  world.spawn("puff", { transform = { x = at.x, y = at.y }, emitter = { colour = "#ff8040" } })
  world.spawn("over")
  world.single.game.phase = "over"
  spark:destroy()
end

return {
  query = { "spark", "transform" },
  each = function(e)
    if e.spark.warmth <= 0 then out(e) end
  end,
  on = {
    play = function()
      world.single.game.score, world.single.game.phase = 0, "playing"
      world.scene("wood") -- takes effect in the next tick; destroys all entities and keeps singletons
    end,
    leave = function() world.quit() end,
  },
}
