-- Music that follows the game. A wanderer walks between a meadow and a cave, followed by a red enemy. music.lua has
-- four layers that play in sync. The layer `danger` gets louder as the enemy approaches; when the enemy is very near,
-- the section `chase` starts on the next bar. In the cave, a low-pass filter and reverb are applied. Collecting a star
-- plays a stinger on the beat. The panel at the bottom shows the layers that are playing. Press Space for a star, and C
-- to send the enemy closer.
return {
  title = "Music: layers and sections",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("wanderer")
    world.spawn("hunter")
    for i = 0, 2 do
      world.spawn("star", { transform = { x = 330 + i * 290, y = 250 - i % 2 * 40 } })
    end
    music.play("night", { fade = 0.5 })
  end,
}
