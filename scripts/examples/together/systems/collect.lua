-- Collects the coins near the hero.
return {
  query = { "hero", "transform" },
  each = function(e)
    for _, coin in ipairs(world.near(e.transform.x, e.transform.y, 6, "coin")) do
      coin:destroy()
      audio.play("coin.wav")
    end
  end,
}
