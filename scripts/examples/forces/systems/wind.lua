-- Reverses the wind when the player presses `turn`. Spawns rubble on each click, and every three seconds.
return {
  phase = "input",
  query = { "wind", "emitter_forces" },
  each = function(e, dt)
    if input.pressed("turn") then e.wind.to = -e.wind.to end
    local forces = e.emitter_forces
    forces.wind_x = forces.wind_x + (e.wind.to - forces.wind_x) * math.min(1, 1.5 * dt)
    if input.pressed("drop") then
      local x, y = input.mouse()
      world.spawn("rubble", { transform = { x = x, y = y } })
    elseif world.tick % 180 == 60 then
      world.spawn("rubble", { transform = { x = 200 + world.random() * 880, y = 470 } })
    end
  end,
}
