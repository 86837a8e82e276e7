-- The start menu, which opens when no game is given on the command line. It is an ordinary game, except that it can
-- also use the global `menu` (load/menu_api.lua).
return {
  title = "Shoal",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
    world.spawn("page")
    world.spawn_many("fish", 160, function(q)
      for i = 1, q.count do
        q.transform.x[i] = world.random() * 1280
        q.transform.y[i] = world.random() * 720
        q.transform.angle[i] = world.random() * 6.28
        local size = 0.5 + world.random() * 0.9
        q.transform.scale_x[i], q.transform.scale_y[i] = size, size
        q.swim.speed[i] = 40 + 50 * size
        q.swim.phase[i] = world.random() * 6.28
        q.shape.colour.r[i] = 0.1 + 0.1 * size
        q.shape.colour.g[i] = 0.35 + 0.3 * size
        q.shape.colour.b[i] = 0.55 + 0.35 * size
        q.shape.colour.a[i] = 0.25 + 0.35 * size
      end
    end)
  end,
}
