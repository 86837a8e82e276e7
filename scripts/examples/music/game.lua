-- Music that changes with the state. A wanderer goes to and fro between a meadow and a cave; something red follows it
-- about. music.lua has four layers that are heard in step: the nearer the red one, the louder is `danger`; when it is
-- very near, the section `chase` begins with the next bar; in the cave everything is muffled and echoes. A star is a
-- stinger that waits for the beat. Below you see what is heard, in time. Keys: space makes a star, c sends the red one
-- closer.
return {
  title = "Music that changes",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("wanderer")
    world.spawn("hunter")
    for i = 0, 2 do
      world.spawn("star", { transform = { x = 330 + i * 290, y = 250 - i % 2 * 40 } })
    end
    music.play("night", { fade = 0.5 })
  end,
}
