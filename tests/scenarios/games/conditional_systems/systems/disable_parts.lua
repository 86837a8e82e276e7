-- Disables and enables components and whole guards at random, except the first guard.
return {
  every = 3,
  update = function()
    for e in world.each { "transform", without_disabled = false } do
      local dice = e.transform.x > 1 and world.random(12) or 0
      local part = dice % 2 == 0 and e:has("gun") and "gun" or "mood"
      if dice >= 11 then
        e:disable()
      elseif dice >= 7 then
        e:enable()
      elseif dice >= 4 then
        e:disable(part)
      elseif dice >= 1 then
        e:enable(part)
      end
    end
  end,
}
