-- The menu of the game that stands: an assemblage of widgets (assemblages.lua), whose events are heard here. It saves
-- and loads the whole world in three slots. Systems of phase input also run while the world is paused.
local function slot() return "slot " .. world.single.menu.slot end

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
      world.spawn("menu", { name = "menu" })
      world.pause(true)
    end
  end,
  on = {
    menu_goes_on = close,
    menu_saves = function()
      close()
      world.single.menu.saves = world.single.play.phase == "playing" -- in the next tick, when the menu is gone
    end,
    menu_loads = function()
      for _, save in ipairs(world.saves()) do
        if save.name == slot() then
          close()
          return world.load(slot())
        end
      end
      audio.play("clang.wav", { volume = 0.4 })
    end,
    menu_options = function()
      world.find("menu"):destroy()
      world.options()
    end,
    options_closed = function() world.spawn("menu", { name = "menu" }) end,
    menu_gives_up = function()
      close()
      if world.single.play.phase == "title" then world.quit() else world.emit("go", { to = "title" }) end
    end,
  },
}
