-- A toy planet in 3D. An entity has a pose and a named instance of `mesh` for each part: a rocket has a hull, a belt, a
-- nose, a window, three fins and a flame. The plugin `mesh` draws these parts as seen through a lens (the 3D camera),
-- lit by a sun. Turn the lens with the arrow keys or the mouse.
return {
  title = "Mesh: a toy planet",
  width = 1280,
  height = 720,
  addons = { "caption" },
  plugins = { "mesh" },
  start = function()
    local sun = world.single.sun
    sun.direction.x, sun.direction.y, sun.direction.z = -0.8, -0.55, -0.6
    sun.ambient = 0.16
    world.spawn("eye")
    world.spawn("planet")
    world.spawn("moon", { orbit = { radius = 4.6, speed = 0.21, phase = 1, lean = 0.5 } })
    world.spawn("moon", { orbit = { radius = 6.1, speed = -0.13, phase = 4, lean = -0.35 }, pose = { scale = 0.6 } })
    for i = 1, 3 do
      world.spawn("rocket" .. i, { orbit = { radius = 2.3 + 0.55 * i, speed = 0.75 - 0.13 * i, phase = i * 2.1,
        lean = 0.9 - 0.55 * i } })
    end
    for i = 1, 90 do
      local size = 0.035 + world.random() ^ 3 * 0.17
      world.spawn("pebble", {
        pose = { scale = size },
        spin = { speed = world.random(-20, 20) / 10, x = world.random(), z = world.random() },
        orbit = { radius = 7.4 + world.random() ^ 2 * 1.5, speed = 0.08 + world.random() * 0.03,
          phase = world.random() * 6.283,
          lean = 0.22, bob = (world.random() - 0.5) * 0.35 },
      })
    end
  end,
}
