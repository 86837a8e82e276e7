-- The few facts about what this VM is doing right now that several modules ask for.
return {
  loading = true,    -- files are being read: there is no world yet
  reloaded = false,  -- the world has run before, with another VM: `reload` hooks run instead of `start`
  rendering = false, -- the world is read only: a system of the render phase runs, or a worker (parallel.lua)
  where = "a render system: drawing must not change the world", -- for messages about that
  outside = false,   -- a chunk of --exec or the console runs: world.sql may write
  entity = 0,        -- the one that `enter`, `leave` or a message is called for, as an id
  system = nil,      -- the system that runs, for messages
}
