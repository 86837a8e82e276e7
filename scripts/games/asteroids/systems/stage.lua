-- On the event `go`, sets up the next screen. All screens except the game-over screen first destroy all props.
local tuning = require "tuning"
local rocks = require "lib.rocks"
local crew = require "lib.crew"

local function destroy_props()
  for e in world.each("prop") do e:destroy() end
end

local function spawn_drifting_rocks()
  for _, size in ipairs { "large", "large", "large", "medium", "medium", "small", "small", "small" } do
    local angle, speed = world.random() * 2 * math.pi, tuning.rocks[size].speed * 0.6
    -- The rocks begin on the left or right, because the menu is in the middle (systems/title_rocks.lua).
    local x, y = (world.random() - 0.5) * tuning.width * 0.3 % tuning.width, world.random() * tuning.height
    rocks.spawn(size, x, y, math.cos(angle) * speed, math.sin(angle) * speed)
  end
end

local function start_game(first_wave)
  local score, wave = world.single.score, world.single.wave
  score.points, score.shown, score.lives, score.next_ship = 0, 0, tuning.ships - 1, tuning.first_extra_ship
  score.record, score.crew = settings.best, 0
  wave.number, wave.wait, wave.total, wave.saucer_in = first_wave - 1, 0, 0, tuning.saucer_first
  world.single.impact.shake, world.single.impact.flash = 0, 0
end

local function spawn_ships()
  local list = players.list()
  for _, player in ipairs(list) do crew.spawn_ship(player.number, crew.get_start(player.number)) end
  world.single.score.lives = tuning.ships - 1 + math.max(0, #list - 1) * tuning.ships_for_player
end

local scenes = {
  title = function()
    destroy_props()
    spawn_drifting_rocks()
    if not players.in_match() then world.spawn("title_menu", { transform = { y = 52 } }) end
    world.single["menu.idle"].seconds = 0
  end,
  demo = function()
    destroy_props()
    start_game(2)
    world.spawn("demo_ship")
    world.single.score.lives = 1
    world.single.wave.saucer_in = 8
  end,
  playing = function()
    destroy_props()
    start_game(1)
    spawn_ships()
    audio.play("blip.wav", { volume = 0.6 })
  end,
  over = function() -- keeps the props, so that the rocks continue to drift
    audio.play("game_over.wav", { volume = 0.7 })
  end,
}

return {
  phase = "pre_update",
  after = { "flow" },
  on = {
    go = function(ev)
      -- If the tick has several `go` events, the last one is used.
      local game, phase = world.single.game, ev.to[ev.count]
      game.phase, game.clock = phase, 0
      scenes[phase]()
    end,
  },
}
