-- Whoever was hurt cannot be hurt again for a moment; the hero blinks meanwhile.
return {
  query = { "health", "sprite", without = { "ghost" } },
  each = function(e, dt)
    local health = e.health
    if health.grace > 0 then
      health.grace = math.max(0, health.grace - dt)
      if e:has "caster" then e.sprite.tint.a = health.grace > 0 and health.grace * 10 % 1 < 0.5 and 0.35 or 1 end
    end
  end,
}
