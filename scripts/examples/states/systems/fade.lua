-- Fades fireflies in the state `dimming`, until they are dark and enter the state `resting`.
return {
  query = { "fading", "lit", "shape" },
  update = function(q, dt)
    for i = 1, q.count do
      q.lit.level[i] = q.lit.level[i] - q.fading.speed[i] * dt
      if q.lit.level[i] <= 0 then
        q.shape.colour.a[i], q.shape.radius[i] = 0.06, 4
        q.entity[i]:enter("resting")
      end
    end
  end,
}
