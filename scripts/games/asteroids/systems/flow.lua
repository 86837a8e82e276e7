-- Ends the title, demo and game-over screens on input or after some seconds. Escape returns to the title or, on the
-- title screen, quits. The system `stage` sets up each screen.
local tuning = require "tuning"

local DURATIONS = { title = tuning.demo_after, demo = tuning.demo_length, over = 20 }
local NEXT_PHASES = { title = "demo", demo = "title", over = "title" }

return {
  phase = "pre_update",
  when = { game = { phase = { "title", "demo", "over" } } },
  update = function(dt)
    local game = world.single.game
    game.clock = game.clock + dt
    if input.pressed "back" then
      if game.phase == "title" then world.quit() else world.emit("go", { to = "title" }) end
    elseif input.pressed "start" and (game.phase ~= "over" or game.clock > 1) then
      world.emit("go", { to = "playing" })
    elseif game.clock > DURATIONS[game.phase] then
      world.emit("go", { to = NEXT_PHASES[game.phase] })
    end
  end,
}
