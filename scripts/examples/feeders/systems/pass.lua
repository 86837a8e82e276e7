-- Passes the controls on: a boat gets its next feeder by entering another state.
local NEXT = { player = "machine", machine = "network", network = "player" }

return {
  phase = "input",
  before = "player",
  query = { "boat" },
  each = function(e)
    if input.pressed "pass" then
      e:enter(NEXT[e:state()])
    end
  end,
}
