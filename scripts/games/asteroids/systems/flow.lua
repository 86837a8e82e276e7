-- Moves between title, demo, game and game over; Escape goes back, and quits from the title. What each of them puts on
-- stage is the stage system's business.
local tuning = require "tuning"

return {
  phase = "pre_update",
  update = function(dt)
    local game = world.single.game
    game.clock = game.clock + dt
    local phase, clock = game.phase, game.clock
    if phase == "playing" or phase == "paused" then return end
    if input.pressed "back" then
      if phase == "title" then world.quit() else world.emit("go", { to = "title" }) end
    elseif input.pressed "start" and (phase ~= "over" or clock > 1) then
      world.emit("go", { to = "playing" })
    elseif phase == "title" and clock > tuning.demo_after then
      world.emit("go", { to = "demo" })
    elseif phase == "demo" and clock > tuning.demo_length or phase == "over" and clock > 20 then
      world.emit("go", { to = "title" })
    end
  end,
}
