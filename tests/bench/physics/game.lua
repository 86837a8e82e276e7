-- Simulates a heap of circles and boxes in a bin, to compare a step of the physics plugin with Chipmunk alone. Run by
-- tests/bench/run.
return {
  title = "Benchmark: physics", width = 1280, height = 720, plugins = { "physics" },
  start = function()
    world.spawn("wall", { transform = { x = 640, y = 720 }, collider = { width = 1300, height = 40 } })
    world.spawn("wall", { transform = { x = 20, y = -1000 }, collider = { width = 40, height = 4000 } })
    world.spawn("wall", { transform = { x = 1260, y = -1000 }, collider = { width = 40, height = 4000 } })
    for i = 0, 1999 do
      local r = 8 + i * 7 % 6
      world.spawn(i % 2 == 1 and "box" or "ball", {
        transform = { x = 80 + i % 40 * 28 + i * 13 % 4, y = 640 - math.floor(i / 40) * 28 },
        collider = { radius = r, width = 2 * r, height = 2 * r },
      })
    end
  end,
}
