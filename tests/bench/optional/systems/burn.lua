return {
  query = { "thing", optional = { "burning", "shield" } },
  update = function(q, dt)
    local x, vx, hp, rate, left = q.thing.x, q.thing.vx, q.thing.hp, q.burning.rate, q.shield.left
    local burns, has_shield = q.has.burning, q.has.shield
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * dt
      if burns[i] then
        if has_shield[i] and left[i] > 0 then
          left[i] = left[i] - dt
        else
          hp[i] = hp[i] - rate[i] * dt
        end
      end
    end
  end,
}
