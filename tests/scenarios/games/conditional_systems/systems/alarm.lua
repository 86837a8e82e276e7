return {
  phase = "demand",
  query = { "mood" },
  each = function(e, dt, arguments)
    e.mood.fear = e.mood.fear + arguments.loud
    if world.random(4) == 1 then e:enter "awake" end
    world.single.scene.alarms = world.single.scene.alarms + 1
  end,
}
