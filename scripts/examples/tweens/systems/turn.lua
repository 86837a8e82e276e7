-- Sends all dots to the other end of their tracks, and restarts the timer.
local SECONDS = 1.2

return {
  on = {
    turn = function()
      for e in world.each("dot", "transform") do
        local dot = e.dot
        local to = e.transform.x < dot.left + dot.width / 2 and dot.left + dot.width or dot.left
        world.tween(e, "transform.x", to, SECONDS, dot.ease)
      end
      world.after(SECONDS + 0.6, "turn")
    end,
  },
}
