-- This system is disabled while the game is edited, so its `leave` call is pending with the values from before the
-- edit.
return {
  query = { "grave" },
  enter = function(e) print("mourn: enter", e:name()) end,
  leave = function(e)
    print("mourn:", e:name(), e.grave.depth, e.grave.width)
  end,
}
