-- Pong, titled Rally in the game, for one or two players. Without input, the game plays by itself. The rules are in
-- systems/ball.lua, the movement of the paddles in systems/paddles.lua, the effects in systems/juice.lua.
local looks = require "looks"

return {
  title = "Rally",
  width = 1280,
  height = 720,
  window = { icon = "icon.png", scale = "expand", expand_in_match = true },
  multiplayer = { players = { 2, 2 } },
  addons = { "menu", "pause" },
  buses = { jingle = 1, music = { volume = 0.75, under = "jingle", duck = 0.25, release = 1.2 } },
  start = function()
    world.spawn("eye")
    for side = -1, 1, 2 do
      world.spawn("paddle", { paddle = { side = side }, transform = { x = 640 + side * looks.paddle_x, y = 360 },
        shape = { colour = looks.colour(side) } })
      world.spawn("digits", { digits = { side = side }, transform = { x = 640 + side * 150, y = 44 },
        text = { colour = side < 0 and "#80d9ff38" or "#ff8ccc38" } })
    end
    world.emit("go", { to = "title" })
  end,
}
