-- The pages of the menu: the open page, its selection, and how it is shown.
local shelf = require "lib.games"
local together = require "lib.together"

local on_shelf = {}
for _, tile in ipairs(shelf) do on_shelf[tile.name] = tile end

local M = {}

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

local function count(kind)
  local number = #menu.games(kind)
  return ("%d %s"):format(number, number == 1 and kind:sub(1, -2) or kind)
end

local function format_tagline()
  return count "games" .. " and " .. count "examples" .. " to play, to take apart, and to change while they run."
end

-- Returns the entries of the examples page, which include the games that have no tile.
---@return { name: string, title: string, folder: string }[]
function M.examples()
  local out = {}
  for _, kind in ipairs { "games", "examples" } do
    for _, game in ipairs(menu.games(kind)) do
      if not on_shelf[game.name] then out[#out + 1] = game end
    end
  end
  return out
end

-- Returns the game whose field `key` has this value; nil if no game has it, as for the tile of the examples.
local function find_game(key, value)
  for _, kind in ipairs { "games", "examples" } do
    for _, game in ipairs(menu.games(kind)) do
      if game[key] == value then return game end
    end
  end
end

-- Returns the command that starts a game, for users who change it.
local function format_command(name) return "shoal play " .. name end

local function select_game(game)
  world.single.shown.folder = game and game.folder or ""
  for _, page in ipairs { "shelf", "examples" } do
    world.find(page .. "_together").widget.disabled = not game or game.max_players < 2
  end
end

-- Shows a tile's title and description, and selects its game.
---@param name string
function M.select_tile(name)
  local tile, game = on_shelf[name], find_game("name", name)
  world.find("shelf_heading").label.text = game and game.title or tile.title or name
  world.find("shelf_about").label.text = tile.about
  select_game(game)
  settings.tile = name
  log.info("menu: %s", name)
end

-- Shows an example's picture, title, command and description, and selects it.
---@param number integer
function M.select_example(number)
  local examples = M.examples()
  local game = examples[number] or examples[1]
  world.find("example_heading").label.text = game.title
  world.find("example_command").label.text = format_command(game.name)
  world.find("example_about").label.text = read_description(menu.source(game.folder))
  world.find("example_picture").label.image = assets.exists(game.name .. ".jpg") and game.name .. ".jpg" or ""
  select_game(game)
  settings.example = game.name
  log.info("menu: %s", game.name)
end

local open = {}

function open.shelf()
  for e in world.each("tile") do
    local name = e:name()
    local game = find_game("name", name)
    local picture = name .. ".webp"
    e:child("2").label.text = game and game.title:match("^[^:]+") or on_shelf[name].title or name
    e:child("1").label.image = assets.exists(picture) and picture or ""
  end
  local message = world.find("message").label
  message.text, message.style = format_tagline(), "dim"
  if world.single.shown.message ~= "" then message.text, message.style = world.single.shown.message, "message" end
  local tile = on_shelf[settings.tile] and settings.tile or shelf[1].name
  M.select_tile(tile)
  world.focus(world.find(tile):child("3"))
end

function open.examples()
  local titles, selected = {}, 1
  for i, game in ipairs(M.examples()) do
    titles[i] = game.title
    if game.name == settings.example then selected = i end
  end
  local list = world.find("example_list")
  list.list.items, list.list.selected = table.concat(titles, "\n"), selected
  M.select_example(selected)
  world.focus(list)
end

function open.source()
  local list, game = world.find("source_list"), find_game("folder", world.single.shown.folder)
  world.find("source_heading").label.text = game and game.title or ""
  world.find("source_command").label.text = game and format_command(game.name) or ""
  list.list.items = menu.source(world.single.shown.folder)
  world.focus(list)
  log.info("menu: source %s", world.find("source_command").label.text)
end

open.together = together.open

-- Hides the open page and shows another page.
---@param name "shelf" | "examples" | "source" | "together"
function M.open(name)
  local shown = world.single.shown
  if shown.page ~= "" then world.find(shown.page .. "_page").widget.visible = false end
  world.find(name .. "_page").widget.visible = true
  shown.page = name
  settings.together = name == "together"
  if name == "shelf" or name == "examples" then settings.page = name end
  open[name]()
end

-- Opens the page that was open when the player last left the menu.
function M.open_last()
  local is_together = settings.together
  world.single.shown.message = menu.message
  M.open(settings.page == "examples" and "examples" or "shelf")
  if is_together then M.open_together() end
end

-- Opens the page for matches of the selected game, if at least two players can play it.
function M.open_together()
  if together.find_game(world.single.shown.folder) then M.open("together") end
end

-- Opens the previous page, or asks whether to quit.
function M.back()
  local page = world.single.shown.page
  if page == "source" or page == "together" then
    M.open(settings.page)
  elseif page == "examples" then
    M.open("shelf")
  elseif not world.find("question") then
    world.spawn("question", { name = "question" })
    log.info("menu: asks whether to quit")
  end
end

return M
