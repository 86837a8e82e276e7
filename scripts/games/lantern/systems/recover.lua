-- Counts down the attack, the hit stop, and invulnerability. The queries do not match disabled entities, so their
-- timers stop.
return {
  queries = { striking = { "striking" }, frozen = { "frozen" },
    health = { "health", "sprite", without = { "ghost" } } },
  update = function(q, dt)
    local seconds_left = q.striking.striking.left
    for i = 1, q.striking.count do
      seconds_left[i] = seconds_left[i] - dt
      if seconds_left[i] <= 0 then q.striking.entity[i]:remove("striking") end
    end
    for i = 1, q.frozen.count do
      local e = q.frozen.entity[i]
      if e.frozen.left == 0 then
        e:remove("frozen")
        e:enable("mover")
      elseif e.frozen.left > 0 then
        e:disable("mover")
        e.frozen.left = math.max(0, e.frozen.left - dt)
      end
    end
    for i = 1, q.health.count do
      local grace = math.max(0, q.health.health.grace[i] - dt)
      q.health.health.grace[i] = grace
      local e = q.health.entity[i]
      if e:has "caster" then e.sprite.tint.a = grace * 10 % 1 > 0.5 and 0.35 or 1 end
    end
  end,
}
