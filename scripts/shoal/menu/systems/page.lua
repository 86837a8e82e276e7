-- Fills the lists of games, shows the selected game with its animated preview and its source, and opens it.
local FRAME_COUNT, FRAMES_PER_SECOND = 4, 5 -- frames of a preview (pictures.sh); frames shown per second

local function list_titles(kind)
  local out = {}
  for i, game in ipairs(menu.games(kind)) do
    out[i] = game.title
  end
  return table.concat(out, "\n")
end

-- Returns the first paragraph of the comment at the top of game.lua.
local function read_description(source)
  local lines = {}
  for line in source:gsub("^%-%- game%.lua\n", ""):gmatch("[^\n]+") do
    local text = line:match("^%-%-%s?(.*)$")
    if not text or text == "" then -- end of the paragraph
      break
    end
    lines[#lines + 1] = text
  end
  return table.concat(lines, " ")
end

local function show_game(kind, index)
  local selection, game = world.single.shown, menu.games(kind)[index]
  if not game or selection.folder == game.folder then
    return
  end
  local source = menu.source(game.folder)
  selection.kind, selection.index, selection.folder = kind, index, game.folder
  world.find("title").label.text = game.title
  world.find("about").label.text = read_description(source)
  world.find("source").list.items = source
  world.find("source").list.selected = 1
  world.find("source").list.first = 1
  world.find("picture").label.image = assets.exists(game.name .. ".jpg") and game.name .. ".jpg" or ""
  local other_list = kind == "games" and "examples" or "games"
  world.find(other_list).list.selected = 0
  log.info("menu: %s", game.name)
end

local function get_list_name(e)
  local name = e:name()
  return (name == "games" or name == "examples") and name or nil
end

-- Returns true if pressing this widget opens the selected game. Clicking in the source only moves its selection.
local function opens_game(e)
  return get_list_name(e) ~= nil or e:name() == "source" and input.pressed("ui_accept")
end

return {
  phase = "input",
  update = function()
    local selection = world.single.shown
    if selection.folder == "" then
      world.find("message").label.text = menu.message
      world.find("message").widget.visible = menu.message ~= ""
      world.find("games").list.items, world.find("examples").list.items = list_titles("games"), list_titles("examples")
      show_game("games", 1)
    end
    world.find("picture").label.frame = math.floor(world.time * FRAMES_PER_SECOND) % FRAME_COUNT + 1
    if input.pressed("leave") and world.find("source").widget.focused then
      world.focus(world.find(selection.kind))
    elseif input.pressed("leave") then
      world.quit()
    end
  end,
  on = {
    changed = function(ev)
      for i = 1, ev.count do
        if get_list_name(ev.entity[i]) then
          show_game(get_list_name(ev.entity[i]), ev.value[i])
        end
      end
    end,
    focused = function(ev)
      for i = 1, ev.count do
        local e = ev.entity[i]
        if get_list_name(e) and e.list.selected == 0 then
          e.list.selected = 1
          show_game(get_list_name(e), 1)
        end
      end
    end,
    pressed = function(ev)
      for i = 1, ev.count do
        local game = menu.games(world.single.shown.kind)[world.single.shown.index]
        if opens_game(ev.entity[i]) and game then
          menu.open(game.folder)
        end
      end
    end,
  },
}
