-- Launches a firework about every second, and cycles through four colours.
local COLOURS = {
  { { 2, 1.6, 0.9, 1 }, "#ffb040", "#ff602000" },
  { { 0.9, 1.7, 2, 1 }, "#40b0ff", "#2040ff00" },
  { { 1.1, 2, 1.2, 1 }, "#50ff80", "#10a04000" },
  { { 2, 1, 1.6, 1 }, "#ff50b0", "#a010ff00" },
}

return {
  update = function(dt)
    local show = world.single.show
    show.wait = show.wait - dt
    if show.wait > 0 then return end
    show.wait, show.at = 0.7 + world.random(), show.at + 1
    world.spawn("firework", {
      transform = { x = world.random(180, 1100), y = world.random(90, 300) },
      emitter = { colours = COLOURS[show.at % #COLOURS + 1] },
    })
  end,
}
