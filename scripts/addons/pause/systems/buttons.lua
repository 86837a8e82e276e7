-- Closes the pause menu and resumes the game.
local function close()
  world.pause(false)
  if world.find("pause") then world.find("pause"):destroy() end
end

return { phase = "input", on = { resume = close, leave = close } }
