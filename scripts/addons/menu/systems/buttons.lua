-- Handles the buttons that all games have, and measures the time without menu input, which does not count while the
-- options are open. In a match, "Options" and "Quit" do nothing, because both would concern one machine only.
local OPEN = -3600 -- seconds: no demo starts while the options are open

return {
  phase = "input",
  on = {
    options = function()
      if players.in_match() then return end
      world.options()
      world.single.idle.seconds = OPEN
    end,
    options_closed = function() world.single.idle.seconds = 0 end,
    focused = function() world.single.idle.seconds = math.min(world.single.idle.seconds, 0) end,
    quit = function()
      if not players.in_match() then world.quit() end
    end,
  },
  update = function(dt)
    if not world.is_paused() then world.single.idle.seconds = world.single.idle.seconds + dt end
  end,
}
