-- When the player presses `pass`, every boat enters its next state, which selects its next feeder.
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
