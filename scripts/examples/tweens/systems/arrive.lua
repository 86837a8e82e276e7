-- When a dot arrives, it swells for a moment, and a ring spreads from it.
return {
  on = {
    tween_ended = function(ev)
      for i = 1, ev.count do
        local e = ev.entity[i]
        if ev.path[i] == "transform.x" and e:alive() then
          world.tween(e, "shape.radius", 12, 0.08, "quad_out", { back = true })
          local colour = e.shape.colour
          local ring = world.spawn("ring", { transform = { x = e.transform.x, y = e.transform.y },
            shape = { colour = { colour.r, colour.g, colour.b, 0.7 } } })
          world.tween(ring, "shape.radius", 30, 0.5, "quad_out")
          world.tween(ring, "shape.colour.a", 0, 0.5)
        end
      end
    end,
  },
}
