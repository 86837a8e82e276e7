-- Plays the voice (on a key press and from time to time), changes the volume of the music (a setting), and drops a
-- stone on each click.
local ring = require "lib.ring"
local LONG = 2.4 -- length of speech.wav in seconds

local function speak()
  local speech = world.single.speech
  if speech.left <= 0 then
    speech.left = LONG
    audio.play("speech.wav", { bus = "voice", volume = 0.9 })
    ring(640, 360, 220, "#e9d8ff")
  end
end

return {
  on = {
    speaks = function()
      speak()
      world.after(9, "speaks")
    end,
  },
  update = function(dt)
    local speech = world.single.speech
    speech.left = math.max(0, speech.left - dt)
    if input.pressed("speak") then speak() end
    if input.pressed("louder") then settings.music = math.min(1, settings.music + 0.1) end
    if input.pressed("softer") then settings.music = math.max(0, settings.music - 0.1) end
    if input.pressed("stone") then
      local x, y = input.mouse()
      audio.play("stone.wav", { x = x, y = y, range = 900, within = 80, pitch_variation = 0.2 })
      ring(x, y, 90, "#ffffff")
    end
  end,
}
