-- What fifty ticks of the systems leave in the heap once they are compiled, said at the end.
local before

return {
  phase = "post_update",
  query = { "drift" },
  update = function()
    if world.tick == 200 then
      collectgarbage()
      before = collectgarbage("count")
    elseif world.tick == 250 then
      log.info("heap grew by %d KiB", collectgarbage("count") - before)
    end
  end,
}
