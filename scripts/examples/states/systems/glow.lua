-- Brightens fireflies in the state `flashing`. After a while they enter the state `dimming`.
return {
  query = { "glowing", "lit" },
  update = function(q, dt)
    for i = 1, q.count do
      q.lit.level[i] = math.min(1, q.lit.level[i] + 2 * dt)
      q.glowing.left[i] = q.glowing.left[i] - dt
      if q.glowing.left[i] <= 0 then q.entity[i]:enter("dimming") end
    end
  end,
}
