-- Slimes rest, hop once, and rest again. A hop ends when its clip ends.
return {
  query = { "transform", "animation", "slime" },
  each = function(e, dt)
    local slime = e.slime
    if e.animation.clip == "hop" then
      e.transform.x = math.max(12, math.min(308, e.transform.x + slime.vx * dt))
      e.transform.y = math.max(30, math.min(164, e.transform.y + slime.vy * dt))
      return
    end
    slime.seconds = slime.seconds - dt
    if slime.seconds <= 0 then
      local angle = world.random() * 2 * math.pi
      slime.vx, slime.vy = 34 * math.cos(angle), 24 * math.sin(angle)
      e.animation.clip = "hop"
      e.animation.playing = true
    end
  end,
  on = {
    animation_ended = function(ev)
      for i = 1, ev.count do
        local e = ev.entity[i]
        if e:alive() and e:has("slime") then
          e.slime.seconds = 0.4 + world.random() * 1.6
          e.animation.clip = "rest"
          e.animation.playing = true
        end
      end
    end,
  },
}
