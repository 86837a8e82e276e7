return {
  query = { "watch" },
  each = function(e, dt)
    e.watch.left = e.watch.left - dt
    if e.watch.left <= 0 then e:enter(e:state() == "awake" and "asleep" or "awake") end
  end,
}
