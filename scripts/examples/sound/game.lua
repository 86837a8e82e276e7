-- Sounds with positions: three bees fly around the centre of the screen; their pitch rises when they approach. The
-- footsteps of a walker are variants of one sound; no variant is played twice in a row. From time to time a voice
-- speaks, and the music is quieter until it ends. Press Space for the voice, click to drop a stone, and press up or
-- down to change the volume of the music.
return {
  title = "Sound",
  width = 1280,
  height = 720,
  addons = { "caption" },
  buses = { steps = 0.8, music = { under = { "voice" }, duck = 0.15, attack = 0.15, release = 0.8 } },
  start = function()
    world.spawn("eye")
    world.spawn("bee", { orbit = { width = 420, height = 190, speed = 0.9 }, shape = { colour = "#ffc857" } })
    world.spawn("bee", { orbit = { width = 250, height = 260, speed = -1.3, turn = 2 }, sound = { pitch = 1.3 },
      orbit_pitch = { base = 1.34 }, shape = { colour = "#ff7a6b" } })
    world.spawn("bee", { orbit = { width = 560, height = 120, speed = 0.6, turn = 4 }, orbit_pitch = { base = 0.75 },
      shape = { colour = "#6bd6ff" } })
    world.spawn("walker")
    music.play("night")
    world.after(3, "speaks")
  end,
}
