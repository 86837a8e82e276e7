-- Ends the title, demo and game-over screens on input of any player or after some seconds. The system `stage` sets up
-- each screen.
local tuning = require "tuning"
local menu = require "menu"

local DURATIONS = { demo = tuning.demo_length, over = 20 }

return {
  phase = "pre_update",
  when = { game = { phase = { "title", "demo", "over" } } },
  on = { play = function() world.emit("go", { to = "playing" }) end },
  update = function(dt)
    local game = world.single.game
    game.clock = game.clock + dt
    if game.phase == "title" then -- the title's buttons start the game, except in a match
      if players.in_match() then -- a match has the lobby instead of a title
        if game.clock > 0.1 then world.emit("go", { to = "playing" }) end
      elseif world.single["menu.idle"].seconds > menu.demo_after then
        world.emit("go", { to = "demo" })
      end
      return
    end
    if game.phase == "over" and game.clock < tuning.over_settles then return end
    if input.pressed("back", nil) or game.clock > DURATIONS[game.phase] then
      world.emit("go", { to = "title" })
    elseif input.pressed("start", nil) then
      world.emit("go", { to = "playing" })
    end
  end,
}
