-- P, Escape or Start of any player pauses and resumes the game for all. The menu leaves the half of the screen with
-- most ships free.
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
  local ships, below = world.query { "ship", "transform" }, 0
  for i = 1, ships.count do below = below + (ships.transform.y[i] > tuning.height / 2 and 1 or 0) end
  local is_below = below * 2 > ships.count
  world.single.game.phase = "paused"
  world.spawn("pause_menu", { name = "pause menu", transform = { y = is_below and -120 or 210 } })
  world.pause(true)
end

return {
  phase = "input",
  when = { game = { phase = { "playing", "paused" } } },
  update = function()
    if not input.pressed("pause", nil) or players.in_match() then return end -- the host pauses a match with F6
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
