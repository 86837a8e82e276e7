-- Handles the menu's events, which open its pages and the selected games.
local places = require "lib.places"
local together = require "lib.together"

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
    local page = world.single.shown.page
    if page == "" then
      places.open_last()
    elseif page == "together" then
      together.update()
    end
    if input.pressed("back") then
      places.back()
    elseif input.pressed("source") and page ~= "together" then
      open_source()
    elseif input.pressed("together") and (page == "shelf" or page == "examples") then
      places.open_together()
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
    together_opened = places.open_together,
    host_chosen = together.host,
    join_chosen = together.join_address,
    match_chosen = together.join_selected,
    world_chosen = together.join_world,
    entry_submitted = function(ev)
      for i = 1, ev.count do
        local name = ev.entity[i]:name()
        if name == "address_entry" then together.join_address() end
        if name == "world_entry" or name == "room_entry" or name == "code_entry" then together.join_world() end
      end
    end,
    back_chosen = places.back,
    -- The game's actions do not receive Escape while an entry has the focus.
    cancelled = function()
      local focused = world.focus()
      if focused and focused:has("entry") and not input.pressed("back") then places.back() end
    end,
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
