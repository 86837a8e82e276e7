-- Adds points, shows them where they were scored, and awards extra ships.
local sounds = require "lib.sounds"

return {
  phase = "post_update",
  after = { "rock_breaks", "saucer_breaks" },
  on = {
    scored = function(ev)
      local score, game = world.single.score, world.single.game
      for i = 1, ev.count do
        score.points = score.points + ev.points[i]
        world.spawn("popup", {
          transform = { x = ev.x[i], y = ev.y[i] - 8 },
          text = { value = tostring(ev.points[i]), size = ev.points[i] >= 200 and 30 or 20 },
        })
        if score.points >= score.next_ship then
          score.next_ship = score.next_ship * 2
          score.lives = score.lives + 1
          sounds.play("extra_life.wav", 0.8)
          world.spawn("popup", {
            transform = { x = ev.x[i], y = ev.y[i] - 40 },
            text = { value = "@extra_ship", size = 30 },
            popup = { life = 1.8 },
            lifetime = { seconds = 1.8 },
          })
        end
      end
      if game.phase == "playing" then settings.best = math.max(settings.best, score.points) end
    end,
  },
}
