-- Parts are paused, taken away, given back and exchanged while the game runs.
return {
  phase = "post_update",
  query = { "behaviour:ear" },
  each = function(e)
    local tick = world.tick + math.floor(e.transform.x / 10) * 7
    if tick % 50 == 3 then
      e:send("poke", { power = world.random(5) })
    elseif tick % 50 == 11 then
      e.script.ear.enabled = not e.script.ear.enabled
    elseif tick % 50 == 20 and e:has("behaviour:leg") then
      e:remove("script", "leg")
    elseif tick % 50 == 30 and not e:has("behaviour:leg") then
      e:add("script", { file = "behaviours/leg.lua" }, "leg")
    elseif tick % 120 == 99 then
      world.spawn("crab", { transform = { x = e.transform.x }, script = { leg = { enabled = world.random() < 0.5 } } })
      e:destroy()
    end
  end,
}
