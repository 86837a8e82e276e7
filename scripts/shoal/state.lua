-- The few facts about what this VM is doing right now that several modules ask for.
return {
  loading = true,    -- files are being read: there is no world yet
  reloaded = false,  -- the world has run before, with another VM: `reload` hooks run instead of `start`
  rendering = false, -- a system of the render phase runs: the world is read only
  system = nil,      -- the system that runs, for messages
}
