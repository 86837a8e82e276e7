-- Spawns a saucer from time to time. The first saucers are big; the proportion of small saucers grows with the score.
local tuning = require "tuning"

local function spawn_saucer(score)
  local excess = score - tuning.saucer_small_from
  local kind = excess > 0 and world.random() < 0.25 + excess / 20000 and "saucer_small" or "saucer_big"
  local speed = kind == "saucer_small" and 185 or 130
  local from_left = world.random() < 0.5
  world.spawn(kind, {
    transform = { x = from_left and -40 or tuning.width + 40, y = 80 + world.random() * (tuning.height - 160) },
    motion = { vx = from_left and speed or -speed },
  })
end

return {
  phase = "pre_update",
  after = { "waves" },
  when = { game = { phase = { "playing", "demo" } } },
  queries = { rocks = { "rock" }, saucers = { "saucer" } },
  update = function(q, dt)
    local wave = world.single.wave
    if q.saucers.count > 0 or q.rocks.count == 0 then return end
    wave.saucer_in = wave.saucer_in - dt
    if wave.saucer_in > 0 then return end
    wave.saucer_in = tuning.saucer_again * (0.6 + 0.8 * world.random())
    spawn_saucer(world.single.game.phase == "demo" and world.random(0, 9000) or world.single.score.points)
  end,
}
