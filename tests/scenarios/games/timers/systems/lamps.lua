-- Spawns short-lived lamps, each with tweens and a timer that emits `ring`.
local EASES = { "linear", "cubic_out", "elastic_in", "bounce_in_out", "back_out" }

return {
  phase = "pre_update",
  every = 6,
  update = function()
    local e = world.spawn("lamp", { lifetime = 0.4 + world.random() })
    world.tween(e, "transform.x", world.random(100), 0.3, EASES[world.random(#EASES)],
      { next = { 0, 0.2, "quad_in", { delay = 0.1 } } })
    world.tween(e, "lamp.colour", { 1, world.random(), 0 }, 0.5, "sine_out", { back = true })
    world.tween(e, "gun.left.heat", 9, 0.25, "expo_in", { forever = true })
    world.tween(e, "gun.right.shots", 40, 0.3, "linear", { times = 2, from = 10 })
    world.after(world.random() * 1.5, "ring", { who = e, how = "twice", note = "for " .. world.tick, power = 2.5 })
  end,
}
