-- Enables a menu's buttons once its `settling` time is over, so that keys still pressed when a game ends do not dismiss
-- the end screen.
return {
  phase = "input",
  query = { "settling" },
  each = function(e, dt)
    e.settling.seconds = e.settling.seconds - dt
    if e.settling.seconds > 0 then return end
    for _, child in ipairs(e:children()) do child.widget.disabled = false end
    e:remove("settling")
  end,
}
