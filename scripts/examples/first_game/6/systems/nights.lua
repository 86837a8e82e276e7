-- After every 20 glow-worms the night gets darker and the moths faster. The music follows the number of nearby moths.
local function deepen(game)
  game.night = game.night + 1
  for eye in world.each("ambient") do
    world.tween(eye, "ambient.colour", { 0.11 / game.night, 0.14 / game.night, 0.24 / game.night, 1 }, 3)
    eye.shaken.trauma = 0.5
  end
end

return {
  when = { game = { phase = { "playing", "over" } } },
  query = { "spark", "transform" },
  start = function() music.play("wood", { fade = 2 }) end,
  update = function(q, dt)
    local game, near = world.single.game, 0
    for i = 1, q.count do
      near = #world.near(q.transform.x[i], q.transform.y[i], 320, "moth")
      if game.score >= 20 * game.night then deepen(game) end
    end
    game.danger = game.danger + (math.min(1, near / 3) - game.danger) * 2 * dt
  end,
}
