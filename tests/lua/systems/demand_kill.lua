-- Klutzershy's "kill all monsters": a system that runs on demand.
return {
  phase = "demand",
  query = { "fuel" },
  update = function(q, dt, arguments)
    for i = 1, q.count do
      if not arguments or q.fuel.left[i] < arguments.below then q.entity[i]:destroy() end
    end
  end,
}
