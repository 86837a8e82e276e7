-- The few facts about what this VM is doing right now that several modules ask for.
---@class engine.state
---@field system? engine.System
return {
  loading = true,    -- files are being read: there is no world yet
  tests = false,     -- the game is a suite of tests, and may keep what it likes between ticks (game.lua)
  reloaded = false,  -- the world has run before, with another VM: `reload` hooks run instead of `start`
  rendering = false, -- the world is read only: a system of the render phase runs, or a worker (parallel.lua)
  giving = false,    -- the function of a state runs, which only reads too, but may ask for chance
  where = "a render system: drawing must not change the world", -- for messages about that
  outside = false,   -- a chunk of --exec or the console runs: world.sql may write
  entity = 0,        -- the one that `enter`, `leave` or a message is called for, as an id
  has_plugins = false, -- others than Lua and the engine write columns
  system = nil,      -- the system that runs, for messages
}
