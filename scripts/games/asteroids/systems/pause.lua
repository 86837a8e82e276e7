-- P, Escape or Start pauses and resumes the game. The menu of a paused game leaves the ship's half of the screen free.
-- Systems in the input phase also run while the world is paused.
local tuning = require "tuning"

local function resume()
  local game = world.single.game
  if game.phase ~= "paused" then return end
  game.phase = "playing"
  world.find("pause menu"):destroy()
  world.pause(false)
end

local function pause()
  local ship = world.query({ "ship", "transform" }).entity[1]
  local is_below = ship and ship.transform.y > tuning.height / 2
  world.single.game.phase = "paused"
  world.spawn("pause_menu", { name = "pause menu", transform = { y = is_below and -120 or 210 } })
  world.pause(true)
end

return {
  phase = "input",
  when = { game = { phase = { "playing", "paused" } } },
  update = function()
    if not input.pressed "pause" then return end
    if world.single.game.phase == "paused" then resume() else pause() end
    audio.play("blip.wav", { volume = 0.5 })
  end,
  on = {
    resume = resume,
    leave = function()
      resume()
      world.emit("go", { to = "title" })
    end,
  },
}
