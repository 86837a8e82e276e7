-- Enables the buttons of a settling menu. Otherwise, a player who is still pressing keys when a game ends would leave
-- the end screen unseen.
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
