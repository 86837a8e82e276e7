-- Feedback when an eater eats or is bitten: crumbs, points, sounds, camera shake and rumble.
local looks = assets.json "looks.json"

return {
  phase = "post_update",
  on = {
    eaten = function(ev)
      local match = world.single.match
      for i = 1, ev.count do
        local x, y, chain = ev.x[i], ev.y[i], math.min(5, match.chain.bites)
        local colour = { ev.r[i] / 255, ev.g[i] / 255, ev.b[i] / 255, 1 }
        world.spawn("crumbs", { transform = { x = x, y = y }, emitter = { colour = colour } })
        local message = ev.points[i] .. (chain > 1 and "  x" .. chain or "")
        local text = { value = message, size = 20 + 2 * chain }
        local e = world.spawn("popup", { transform = { x = x, y = y - 24 }, text = text })
        world.tween(e, "transform.y", y - 74, 0.9, "quad_out")
        world.tween(e, "text.colour.a", 0, 0.9, "quad_in")
        audio.play("bite", { volume = 0.6, pitch = 2 ^ ((match.chain.bites - 1) % 13 / 12), x = x, y = 360,
          range = 2200, within = 700 })
        if not match.demo then input.rumble(0.15 + 0.04 * chain, 0.06) end
      end
    end,
    bitten = function(ev)
      world.find("eye").shaken.trauma = 0.6
      local emitter = { colour = looks.tones[1], burst = 24 }
      world.spawn("crumbs", { transform = { x = ev.x[1], y = ev.y[1] }, emitter = emitter })
      audio.play("bitten.wav", { volume = 0.8 })
      if not world.single.match.demo then input.rumble(0.8, 0.25) end
    end,
  },
}
