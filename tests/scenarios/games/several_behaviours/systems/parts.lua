-- Disables, removes and adds behaviours and replaces whole entities while the game runs.
return {
  phase = "post_update",
  query = { "ear", without_disabled = false },
  each = function(e)
    local tick = world.tick + math.floor(e.transform.x / 10) * 7
    if tick % 50 == 3 then
      e:send("poke", { power = world.random(5) })
    elseif tick % 50 == 11 then
      if e:has("disabled") then e:enable("ear") else e:disable("ear") end
    elseif tick % 50 == 20 and e:has("leg") then
      e:remove("leg")
    elseif tick % 50 == 30 and not e:has("leg") then
      e:add("leg")
    elseif tick % 120 == 99 then
      local crab = world.spawn("crab", { transform = { x = e.transform.x } })
      if world.random() < 0.5 then crab:disable("leg") end
      e:destroy()
    end
  end,
}
