-- Passes the helms round: a boat's next feeder is the state that it enters.
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
