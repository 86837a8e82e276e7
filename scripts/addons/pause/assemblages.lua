-- Templates for entities: the menu of the paused game.
local menu = require "menu"

return {
  menu = menu.panel { heading = tr.key "menu.paused", menu.button(tr.key "menu.resume", "resume", true),
    menu.button(tr.key "menu.options", "menu.options"), menu.button(tr.key "menu.quit_to_title", "leave") },
}
