-- Explosions shake the camera, and big explosions flash the screen; both effects decay.
return {
  phase = "post_update",
  after = { "rock_breaks", "saucer_breaks", "ship_breaks" },
  query = { "camera" },
  each = function(e, dt)
    local impact = world.single.impact
    impact.shake = math.max(0, impact.shake - impact.shake * 5.5 * dt - 0.6 * dt)
    impact.flash = math.max(0, impact.flash - 2.6 * dt)
    e.camera.shake = impact.shake
  end,
  on = {
    explosion = function(ev)
      local impact = world.single.impact
      for i = 1, ev.count do
        local power = ev.power[i]
        impact.shake = math.min(20, math.max(impact.shake, 14 * power * power))
        if power >= 1 then impact.flash = 1 end
      end
    end,
  },
}
