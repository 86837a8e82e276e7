-- Emits a tenth as many events one by one, without subscribers.
local band = bit.band

return {
  update = function()
    for i = 0, world.single.bench.count / 10 - 1 do
      world.emit("tap", { a = band(i, 1023), b = band(i, 511), depth = band(i, 15) })
    end
  end,
}
