-- When no rocks and no mother ship are left, announces the next wave and, after a pause, spawns its rocks at the edges.
-- Every fourth wave also brings a mother ship.
local tuning = require "tuning"
local rocks = require "lib.rocks"
local sounds = require "lib.sounds"

local function spawn_wave(number, ships)
  local x = ships.count > 0 and ships.transform.x[1] or tuning.width / 2
  local others = world.single.game.phase == "demo" and 0 or math.max(0, #players.list() - 1)
  local count = math.min(tuning.most_rocks, tuning.rocks_in_first_wave + number - 1) + others * tuning.rocks_for_player
  for _ = 1, count do rocks.spawn_at_edge(ships) end
  world.single.wave.total = count * tuning.rocks.large.weight
  if number % tuning.mother_ship_every == 0 then
    world.spawn("mother_ship", { transform = { x = x < tuning.width / 2 and tuning.width + 60 or -60, y = 150 },
      motion = { vx = x < tuning.width / 2 and -90 or 90 } })
  end
end

return {
  phase = "pre_update",
  after = { "stage" },
  when = { game = { phase = { "playing", "demo" } } },
  queries = { rocks = { "rock" }, mothers = { "mother_ship" }, ships = { "ship", "transform" } },
  update = function(q, dt)
    local wave = world.single.wave
    if wave.wait > 0 then
      wave.wait = wave.wait - dt
      if wave.wait <= 0 then
        wave.saucer_in = math.max(5, tuning.saucer_first - wave.number)
        spawn_wave(wave.number, q.ships)
      end
    elseif q.rocks.count == 0 and q.mothers.count == 0 then
      wave.number = wave.number + 1
      wave.wait = wave.number == 1 and tuning.pause_before_first_wave or tuning.pause_between_waves
      sounds.play("wave.wav", 0.6)
    end
  end,
}
