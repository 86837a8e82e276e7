-- The page of matches: hosts a match of the selected game, lists the matches in the local network, and joins them, an
-- address or a served world.
local M = {}
local TICKS = 30 -- ticks between updates of the list

-- Returns the game of a folder if at least two players can play it.
---@param folder string
function M.find_game(folder)
  for _, kind in ipairs { "games", "examples" } do
    for _, game in ipairs(menu.games(kind)) do
      if game.folder == folder and game.max_players >= 2 then return game end
    end
  end
end

local function split_lines(text)
  local out = {}
  for line in text:gmatch("[^\n]+") do out[#out + 1] = line end
  return out
end

-- Shows the message about a problem: its first line is for players, the rest for developers.
---@param text string "": clears the message
function M.show_message(text)
  local line, details = text:match("^([^\n]*)\n?(.*)$")
  world.find("together_message").label.text = line
  world.find("together_details").label.text = details
  if text ~= "" then log.info("menu: says %s", line) end
end

-- Prepares the page for the selected game.
function M.open()
  local game = M.find_game(world.single.shown.folder)
  world.find("together_heading").label.text = game.title
  world.find("together_about").label.text = ("Up to %d players in one match."):format(game.max_players)
  world.find("address_entry").entry.text = settings.address
  world.find("world_entry").entry.text = settings.world
  world.find("room_entry").entry.text = settings.room
  world.find("code_entry").entry.text = "" -- a code is valid once, so it is not kept
  M.show_message(world.single.shown.message)
  world.single.shown.message = ""
  world.focus(world.find("host_button"))
  log.info("menu: together")
end

local function describe_match(match)
  local name = match.name ~= "" and match.name or "A player"
  local line = ("%s: %s, %d of %d players"):format(name, match.title, match.players, match.max_players)
  line = line:sub(1, 1) == "@" and " " .. line or line -- "@" would be a reference to a string
  return match.problem and "\t" .. line .. ", " .. match.problem or line -- a tab disables the line
end

-- Returns the number of the match at this address, or of the first match that can be joined; 0 if there is no such
-- match.
local function choose_match(matches, address)
  local first = 0
  for i, match in ipairs(matches) do
    if not match.problem and match.address == address then return i end
    if not match.problem and first == 0 then first = i end
  end
  return first
end

local function show_matches(matches)
  local found, list = world.single.found, world.find("match_list").list
  local lines, addresses, titles = {}, {}, {}
  for i, match in ipairs(matches) do
    lines[i], addresses[i], titles[i] = describe_match(match), match.address, match.title
  end
  local chosen = split_lines(found.addresses)[list.selected]
  local items = table.concat(lines, "\n")
  if items == list.items and found.addresses == table.concat(addresses, "\n") then return end
  found.addresses, found.titles = table.concat(addresses, "\n"), table.concat(titles, "\n")
  list.items = items
  list.selected = choose_match(matches, chosen)
  for i, line in ipairs(lines) do log.info("menu: match %d: %s at %s", i, (line:gsub("^\t", "")), addresses[i]) end
end

-- Updates the list of matches twice per second.
function M.update()
  if world.tick % TICKS ~= 0 then return end
  local matches, problem = menu.matches()
  if matches then show_matches(matches) end
  local hint = world.find("match_hint").label
  if problem then
    hint.text = problem
  elseif world.single.found.addresses == "" then
    hint.text = "Searching… A match appears here as soon as its host waits for players."
  else
    hint.text = "Choose a match to join it."
  end
end

local function read_entry(name)
  return world.find(name).entry.text:match("^%s*(.-)%s*$")
end

local function join(folder, address)
  settings.together = true
  log.info("menu: joins %s", address)
  menu.join(folder, address, read_entry("password_entry"), read_entry("key_entry"))
end

function M.host()
  settings.together = true
  log.info("menu: hosts a match")
  menu.host(world.single.shown.folder, read_entry("password_entry"))
end

-- Joins the match at the address in the entry.
function M.join_address()
  local address = read_entry("address_entry")
  if address == "" then
    M.show_message("Type the address of the host first, such as 192.168.1.5")
    return
  end
  settings.address = address
  join(world.single.shown.folder, address)
end

-- Joins the served world at the address in the entry, with the code of an invitation or of a reset, if there is one.
function M.join_world()
  local address, room = read_entry("world_entry"), read_entry("room_entry")
  if address == "" then
    M.show_message("Type the address of the world first, such as play.example.org")
    return
  end
  settings.world, settings.room, settings.together = address, room, true
  log.info("menu: joins the world %s", address)
  menu.join_world(world.single.shown.folder, address, room, read_entry("code_entry"))
end

-- Joins the selected match of the list; its game may differ from the page's game.
function M.join_selected()
  local number, found = world.find("match_list").list.selected, world.single.found
  local address, title = split_lines(found.addresses)[number], split_lines(found.titles)[number]
  if not address then return end
  local own = M.find_game(world.single.shown.folder)
  local game = own.title == title and own or menu.find_game(title)
  if game then
    join(game.folder, address)
  else
    M.show_message(("“%s” is not among the games of this machine"):format(title))
  end
end

return M
