-- Forces on particles: a fountain whose drops bounce off the ground, a vortex, seeds in the wind, and lights that fly
-- in a box. Change a number of `emitter_forces` in assemblages.lua while this runs.
return {
  title = "Forces",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    for _, name in ipairs { "eye", "ground", "fountain", "whirl", "meadow", "box" } do
      world.spawn(name)
    end
    for _, at in ipairs { { 230, "walls = \"floor\"" }, { 640, "pull, swirl" }, { 1050, "walls = \"box\"" } } do
      world.spawn("words", { transform = { x = at[1], y = 396 }, text = { value = at[2] } })
    end
  end,
}
