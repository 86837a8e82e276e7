-- The menu of the game that stands: an assemblage of widgets (assemblages.lua), whose events are heard here. It saves
-- and loads the whole world in three slots. Systems of phase input also run while the world is paused.
local function slot() return "slot " .. world.single.menu.slot end

-- What was on the screen when it was saved.
local function show_slot()
  local label = world.find("slot picture").label
  label.image, label.text = "", "empty"
  for _, save in ipairs(world.saves()) do
    if save.name == slot() then label.image, label.text = save.picture or "", save.picture and "" or "saved" end
  end
end

local function open()
  world.spawn("menu", { name = "menu" })
  world.emit("menu_slot")
end

local function close()
  local menu = world.find("menu")
  if menu then menu:destroy() end
  world.pause(false)
end

return {
  phase = "input",
  update = function()
    local phase, menu = world.single.play.phase, world.single.menu
    if menu.saves then
      menu.saves = false
      world.save(slot())
    end
    if (phase == "playing" or phase == "title") and input.pressed "pause" and not world.find("menu") then
      open()
      world.pause(true)
    end
  end,
  on = {
    menu_goes_on = close,
    menu_slot = show_slot,
    menu_saves = function()
      close()
      world.single.menu.saves = world.single.play.phase == "playing" -- in the next tick, when the menu is gone
    end,
    menu_loads = function()
      if not world.load(slot()) then return audio.play("clang.wav", { volume = 0.4 }) end
      close()
    end,
    menu_options = function()
      world.find("menu"):destroy()
      world.options()
    end,
    options_closed = open,
    menu_gives_up = function()
      close()
      if world.single.play.phase == "title" then world.quit() else world.emit("go", { to = "title" }) end
    end,
  },
}
