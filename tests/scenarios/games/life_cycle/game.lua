-- Entities are spawned and destroyed every tick; `leave` handlers that run a tick later read their last values.
return {
  title = "Life",
  start = function()
    for i = 1, 20 do
      world.spawn("cell", { transform = { x = i * 1.1 } })
    end
  end,
}
