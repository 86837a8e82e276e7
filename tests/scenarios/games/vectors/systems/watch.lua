-- Logs the heap growth of fifty ticks, after the systems have been compiled.
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
