-- Handles the events of the title menu, the pause menu and the menu of the save slots, whose widgets are in
-- assemblages.lua. Systems in the input phase also run while the world is paused.
local pause = require "pause"

local function get_slot_name() return "slot " .. world.single.menu.slot end

-- Shows the screenshot and the date of the selected slot, and the buttons that apply to it.
local function show_slot()
  local picture, caption = world.find("slot picture").label, world.find("slot words").label
  local exists, is_damaged = false, false
  picture.image, picture.text, caption.text = "", "@menu.no_picture", "@menu.empty"
  for _, save in ipairs(world.saves()) do
    if save.name == get_slot_name() then
      picture.image, caption.text, exists = save.picture or "", save.problem and "@menu.damaged" or save.saved, true
      is_damaged = save.problem ~= nil
      if save.picture then picture.text = "" end
    end
  end
  world.find("slot load").widget.disabled = not exists or is_damaged
  world.find("slot delete").widget.disabled = not exists
  world.find("slot save").widget.visible = world.single.play.phase == "playing"
  world.find("slot delete").button.text = "@menu.delete"
end

return {
  phase = "input",
  update = function()
    if world.single.menu.saves == world.tick then world.save(get_slot_name()) end
    pause.step(world.single.play.phase == "playing", "pause_menu")
  end,
  on = {
    menu_begins = function() world.emit("go", { to = "playing" }) end,
    ["pause.leave"] = function() world.emit("go", { to = "title" }) end,
    menu_slots = function() world.open("slots") end,
    menu_slot = show_slot,
    -- Saves in the next tick, so that the screenshot does not show the menus.
    menu_saves = function()
      world.close("slots")
      world.emit("pause.resume")
      world.single.menu.saves = world.tick + 1
    end,
    menu_loads = function()
      world.load(get_slot_name())
      world.pause(false)
    end,
    menu_deletes = function() -- the first press only changes the button's text to "Really?"
      local button = world.find("slot delete").button
      if button.text == "@menu.delete" then button.text = "@menu.really" return end
      world.delete_save(get_slot_name())
      world.emit("menu_slot")
    end,
    menu_back = function() world.close("slots") end,
    menu_options = function() world.options() end,
    menu_quits = function() world.quit() end,
    -- Menu input delays the demo.
    focused = function() world.single.play.clock = math.min(world.single.play.clock, 7.3) end,
  },
}
