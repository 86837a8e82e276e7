return {
  query = { "gun", "mood" },
  when = { scene = { phase = "night" } },
  update = function(q)
    for i = 1, q.count do
      q.gun.heat[i], q.gun.shots[i] = q.gun.heat[i] + 0.25, q.gun.shots[i] + 1
      q.mood.fear[i] = q.mood.fear[i] + world.random()
      world.emit("shot", { by = q.entity[i] })
    end
  end,
}
