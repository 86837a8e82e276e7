-- Entities that come and go every tick: who hears of it late reads what they were.
return {
  title = "Life",
  start = function()
    for i = 1, 20 do
      world.spawn("cell", { transform = { x = i * 1.1 } })
    end
  end,
}
