-- Marks both sides of a collision as `struck`. A struck entity takes part in no other collision of the same tick.
return {
  phase = "post_update",
  after = { "shoal.collision" },
  on = {
    collision_began = function(ev)
      local has_collided = {}
      for i = 1, ev.count do
        local a, b = ev.a[i], ev.b[i]
        if a:alive() and b:alive() and not has_collided[a] and not has_collided[b] then
          has_collided[a], has_collided[b] = true, true
          local scores = a:assemblage() == "bullet" or a:has("ship")
          local x, y, nx, ny = ev.x[i], ev.y[i], ev.nx[i], ev.ny[i]
          a:add("struck", { x = x, y = y, nx = -nx, ny = -ny })
          b:add("struck", { scores = scores, x = x, y = y, nx = nx, ny = ny })
        end
      end
    end,
  },
}
