-- Runs one step of the inside tests per tick, then ends the run.
local suite = require("lib.suite")

return {
  priority = 100000,
  update = function()
    if suite.run_step() then
      world.quit()
      if world.single.results.failed > 0 then
        error(world.single.results.failed .. " Lua tests failed")
      end
    end
  end,
}
