-- Music that follows the game. A wanderer walks between a meadow and a cave, followed by a red enemy. music.lua has
-- four layers played in step. The layer `danger` gets louder as the enemy comes near; when it is very near, the section
-- `chase` starts on the next bar. In the cave, a low-pass filter and reverb are applied. A star plays a stinger on the
-- beat. The panel at the bottom shows what is playing. Space makes a star, C sends the enemy closer.
return {
  title = "Music: layers and sections",
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
