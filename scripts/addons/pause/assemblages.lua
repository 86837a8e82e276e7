-- Templates for entities: the menu of the paused game.
local menu = require "menu"

return {
  menu = menu.panel { heading = "Paused", menu.button("Resume", "resume", true),
    menu.button("Options", "menu.options"), menu.button("Quit to title", "leave") },
}
