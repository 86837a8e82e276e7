-- Where sounds come from: three bees fly around the middle of the screen, and are heard from where they are, higher
-- when they come near. Somebody walks by, never with the same step twice in a row. Now and then a voice speaks, and the
-- music makes room for it. Keys: space speaks, a click drops a stone, up and down turn the music.
return {
  title = "Sound",
  width = 1280,
  height = 720,
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
