-- Spawns short-lived actors with sequences, and now and then stops, disables or replaces a sequence.
return {
  phase = "pre_update",
  every = 9,
  update = function()
    local e = world.spawn("actor", { lifetime = 2 + 3 * world.random() })
    e:sequence(world.random(2) == 1 and "talk" or "dance")
    for other in world.each("actor") do
      local what = world.random(40)
      if what == 1 then
        other:sequence(nil)
      elseif what == 2 and other:has("in_sequence") then
        other:disable("in_sequence")
      elseif what == 3 and other:sequence() == "dance" then
        other:sequence("talk")
      end
    end
  end,
}
