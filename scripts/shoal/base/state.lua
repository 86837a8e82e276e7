-- State of this VM that several modules share.
local RENDERS = "a render system: drawing must not change the world"

---@class engine.state
---@field game shoal.Game the table that game.lua returned; nil before it is read
---@field config engine.GameConfig the fields of game.lua that C reads, with defaults filled in
---@field system? engine.System
local M = {
  loading = true,    -- true while files are loaded: there is no world yet
  tests = false,     -- true if the game is a test suite, which may keep any state between ticks (game.lua)
  reloaded = false,  -- true if the world has run before, with another VM: `reload` handlers run instead of `start`
  rendering = false, -- true while the world is read-only; `where` is the reason
  -- True while a function of a state's component runs: the world is read-only, except for its random numbers.
  in_state_function = false,
  where = RENDERS,   -- reason why the world is read-only, for messages
  panel = false,     -- true while a panel of the cockpit is drawn: nothing may be created, not even a query
  outside = false,   -- true while a chunk of --exec or the console runs: world.sql may write
  entity = 0,        -- id of the entity for which `enter`, `leave` or an event handler is running
  has_plugins = false, -- true if plugins may write columns
  system = nil,      -- the running system, for messages
}

-- Returns true while a system of the render phase runs. Functions that fill a cache or a component are read-only too,
-- but their results affect the simulation.
---@return boolean
function M.draws()
  return M.rendering and M.where == RENDERS
end

-- Resets the state. Called when no script function is running any more.
function M.stop()
  M.system, M.rendering, M.in_state_function, M.outside, M.entity = nil, false, false, false, 0
  M.panel = false
  M.where = RENDERS
end

return M
