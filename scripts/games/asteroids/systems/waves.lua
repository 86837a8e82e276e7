-- When no rocks are left, announces the next wave and, after a pause, spawns its rocks at the edges.
local tuning = require "tuning"
local rocks = require "lib.rocks"
local sounds = require "lib.sounds"

local function spawn_wave(number, ships)
  local x, y = tuning.width / 2, tuning.height / 2
  if ships.count > 0 then x, y = ships.transform.x[1], ships.transform.y[1] end
  local count = math.min(tuning.most_rocks, tuning.rocks_in_first_wave + number - 1)
  for _ = 1, count do rocks.spawn_at_edge(x, y) end
  world.single.wave.total = count * tuning.rocks.large.weight
end

return {
  phase = "pre_update",
  after = { "stage" },
  when = { game = { phase = { "playing", "demo" } } },
  queries = { rocks = { "rock" }, ships = { "ship", "transform" } },
  update = function(q, dt)
    local wave = world.single.wave
    if wave.wait > 0 then
      wave.wait = wave.wait - dt
      if wave.wait <= 0 then
        wave.saucer_in = math.max(5, tuning.saucer_first - wave.number)
        spawn_wave(wave.number, q.ships)
      end
    elseif q.rocks.count == 0 then
      wave.number = wave.number + 1
      wave.wait = tuning.pause_between_waves
      sounds.play("wave.wav", 0.6)
    end
  end,
}
