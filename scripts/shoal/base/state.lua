-- Current state of this VM, shared by several modules.
local RENDERS = "a render system: drawing must not change the world"

---@class engine.state
---@field game shoal.Game what game.lua returned; nil before it is read
---@field facts engine.GameFacts what C reads of it, with defaults filled in
---@field system? engine.System
local M = {
  loading = true,    -- files are being read: there is no world yet
  tests = false,     -- the game is a suite of tests, and may keep what it likes between ticks (game.lua)
  reloaded = false,  -- the world has run before, with another VM: `reload` hooks run instead of `start`
  rendering = false, -- the world is read only: a system of the render phase runs
  giving = false,    -- the function of a state runs, which only reads too, but may ask for chance
  where = RENDERS,   -- for messages about that
  panel = false,     -- a panel of the cockpit is drawn: nothing that lasts may come of it, not even a query
  outside = false,   -- a chunk of --exec or the console runs: world.sql may write
  entity = 0,        -- the one that `enter`, `leave` or a message is called for, as an id
  has_plugins = false, -- others than Lua and the engine write columns
  system = nil,      -- the system that runs, for messages
}

-- True while a system of the render phase runs. Functions that fill a cache or a component are read-only too, but their
-- results affect the simulation.
---@return boolean
function M.draws()
  return M.rendering and M.where == RENDERS
end

-- Resets the state when nothing runs.
function M.stop()
  M.system, M.rendering, M.giving, M.outside, M.entity = nil, false, false, false, 0
  M.panel = false
  M.where = RENDERS
end

return M
