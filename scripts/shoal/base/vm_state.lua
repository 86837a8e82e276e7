-- State of this VM that several files share. base/phases.lua sets the fields from `phase` to `read_only`.
---@class engine.state
---@field game shoal.Game the table that game.lua returned; nil before it is read
---@field config engine.GameConfig the fields of game.lua that C reads, with defaults filled in
---@field system? engine.System
local M = {
  phase = "load",     -- the phase in which script functions run (base/phases.lua)
  phase_bit = 1,      -- the phase's bit in the masks of base/phases.lua
  where = "",         -- description of the phase for messages
  loading = true,     -- true while files are loaded (there is no world yet) and while rows are migrated
  may_change = false, -- true in phases in which the world may be changed
  read_only = false,  -- true in phases in which the world can be read but not changed
  tests = false,      -- true if the game is a test suite, which may keep Lua state between ticks (game.lua)
  reloaded = false,   -- true if the world has already run with another VM: `reload` handlers run instead of `start`
  outside = false,    -- true while code from --exec or the console runs, in which world.sql may write
  -- Id of the entity for which `enter`, `leave`, `changed`, a behaviour's event handler or a sequence step is running;
  -- 0 if none of these is running.
  entity = 0,
  coroutine_depth = 0, -- number of nested coroutines of scripts: each was resumed by the previous one
  has_plugins = false, -- true if any plugin is loaded: plugins may write columns
  system = nil,       -- the running system; nil between systems
}

-- Returns true while a system of the render phase is running. This is not the same as `read_only`: the phases `cache`
-- and `state` are read-only, too, but the results of functions that run in them affect the simulation.
---@return boolean
function M.is_drawing()
  return M.phase == "render"
end

-- Returns true if the game declares players (multiplayer in game.lua).
---@return boolean
function M.declares_players()
  return M.config ~= nil and M.config.max_players > 0
end

-- Returns the largest number that scripts can pass for a player.
---@return integer
function M.get_max_player()
  return M.declares_players() and M.config.max_players or 4
end

return M
