-- Opens the pages of the menu, and games from them.
local places = require "lib.places"

local function open_source()
  local shown = world.single.shown
  if shown.page == "source" then
    places.back()
  elseif shown.folder ~= "" then
    places.open("source")
  end
end

local function open_tile(name)
  places.select_tile(name)
  if world.single.shown.folder == "" then
    places.open("examples")
  else
    menu.open(world.single.shown.folder)
  end
end

return {
  phase = "input",
  update = function()
    if world.single.shown.page == "" then places.open(settings.page == "examples" and "examples" or "shelf") end
    if input.pressed("back") then
      places.back()
    elseif input.pressed("source") then
      open_source()
    end
  end,
  on = {
    tile_opened = function(ev)
      for i = 1, ev.count do open_tile(ev.entity[i]:parent():name()) end
    end,
    -- Clicking in the source only moves its selection.
    game_chosen = function()
      local shown = world.single.shown
      if shown.page ~= "source" or input.pressed("ui_accept") then menu.open(shown.folder) end
    end,
    source_opened = open_source,
    back_chosen = places.back,
    quit_chosen = function() world.quit() end,
    quit_declined = function()
      world.find("question"):destroy()
      log.info("menu: stays")
    end,
    focused = function(ev)
      for i = 1, ev.count do
        local tile = ev.entity[i]:alive() and ev.entity[i]:parent()
        if tile and tile:has("tile") then places.select_tile(tile:name()) end
      end
    end,
    changed = function(ev)
      for i = 1, ev.count do
        if ev.entity[i]:alive() and ev.entity[i]:name() == "example_list" then places.select_example(ev.value[i]) end
      end
    end,
  },
}
