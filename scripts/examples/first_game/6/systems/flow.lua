-- Starts and ends the game.
local function out(spark)
  local at = spark.transform
  world.spawn("puff", { transform = { x = at.x, y = at.y }, emitter = { colour = "#ff8040" } })
  world.spawn("over")
  world.single.game.phase = "over"
  settings.best = math.max(settings.best, world.single.game.score)
  audio.play("out.wav")
  spark:destroy()
end

return {
  query = { "spark", "transform" },
  each = function(e)
    if e.spark.warmth <= 0 then out(e) end
  end,
  on = {
    play = function()
      local game = world.single.game
      game.score, game.night, game.danger, game.phase = 0, 1, 0, "playing"
      world.scene("wood") -- takes effect in the next tick; destroys all entities and keeps singletons
    end,
  },
}
