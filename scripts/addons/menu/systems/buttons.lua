-- Handles the buttons that all games have, hides the title screen below the options, and measures the time without menu
-- input, which does not count while the options are open. In a match, "Options" opens the options on the machine of the
-- player, and "Quit" asks there whether to leave the match.
local OPEN = -3600 -- seconds: no demo starts while the options are open

local function show_backdrop(is_shown)
  local q = world.query { "backdrop", without_disabled = false }
  for i = 1, q.count do q.entity[i][is_shown and "enable" or "disable"](q.entity[i]) end
end

return {
  phase = "input",
  on = {
    options = function(ev)
      if players.in_match() then
        for i = 1, ev.count do world.options(ev.player[i]) end
        return
      end
      world.options()
      show_backdrop(false)
      world.single.idle.seconds = OPEN
    end,
    options_closed = function()
      show_backdrop(true)
      world.single.idle.seconds = 0
    end,
    focused = function() world.single.idle.seconds = math.min(world.single.idle.seconds, 0) end,
    quit = function(ev)
      for i = 1, ev.count do world.quit(ev.player[i]) end
    end,
  },
  update = function(dt)
    if not world.is_paused() then world.single.idle.seconds = world.single.idle.seconds + dt end
  end,
}
