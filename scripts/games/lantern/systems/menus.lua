-- Menus: title, pause and save slots (a slot saves the world without the menus). The widgets are in assemblages.lua,
-- two menus are scenes, and this system handles their events. Systems in the input phase also run while the world is
-- paused.
local function slot() return "slot " .. world.single.menu.slot end

local function close(scene, menu)
  if world.find(menu) then world.close(scene) end
end

-- Shows the screenshot and the date of the selected slot.
local function show_slot()
  local picture, words, found = world.find("slot picture").label, world.find("slot words").label, false
  picture.image, words.text = "", "@menu.empty"
  for _, save in ipairs(world.saves()) do
    if save.name == slot() then
      picture.image, words.text, found = save.picture or "", save.problem and "@menu.damaged" or save.saved, true
    end
  end
  world.find("slot load").widget.disabled, world.find("slot delete").widget.disabled = not found, not found
  world.find("slot save").widget.visible = world.single.play.phase == "playing"
  world.find("slot delete").button.text = "@menu.delete"
end

local function resume()
  close("slots", "slots")
  close("pause", "pause menu")
  world.pause(false)
end

return {
  phase = "input",
  update = function()
    if world.single.menu.saves == world.tick then world.save(slot()) end
    if world.single.play.phase == "playing" and input.pressed "pause" and not world.find("pause menu") then
      world.open("pause")
      world.pause(true)
    end
  end,
  on = {
    menu_begins = function() world.emit("go", { to = "playing" }) end,
    menu_resumes = resume,
    menu_slots = function() world.open("slots") end,
    menu_slot = show_slot,
    menu_saves = function() resume() world.single.menu.saves = world.tick + 1 end, -- its picture lacks the menu, too
    menu_loads = function() world.load(slot()) end,
    menu_deletes = function() -- deletes on the second press
      local button = world.find("slot delete").button
      if button.text == "@menu.delete" then button.text = "@menu.really" return end
      world.delete_save(slot())
      world.emit("menu_slot")
    end,
    menu_back = function() world.close("slots") end,
    menu_options = function() world.options() end,
    menu_leaves = function() resume() world.emit("go", { to = "title" }) end,
    menu_quits = function() world.quit() end,
    -- menu input delays the demo
    focused = function() world.single.play.clock = math.min(world.single.play.clock, 7.3) end,
  },
}
