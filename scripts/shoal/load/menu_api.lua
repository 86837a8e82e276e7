-- Functions that only the menu (scripts/shoal/menu, otherwise an ordinary game folder) can call: they list games and
-- examples, return their source, open a game, and find, host and join matches. `message` is the error that ended the
-- previous game.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local phases = need("base/phases")
local report = need("base/report")
local ffi = abi.ffi

local SCRIPTS = native.engine_folder:gsub("/shoal/*$", "")
local MAX_BYTES = 65536 -- maximum size of the source shown for a game

local function read_title(text, name)
  return text:match("title%s*=%s*\"([^\"]+)\"") or name
end

-- Returns the maximum number of players that game.lua declares; 0 if it declares no players.
local function read_max_players(text)
  return tonumber(text:match("multiplayer%s*=%s*{%s*players%s*=%s*{%s*%d+%s*,%s*(%d+)%s*}")) or 0
end

---@class engine.menu.Match
---@field title string
---@field name string
---@field players integer
---@field max_players integer
---@field address string
---@field files string hash of the match's game and engine files
---@field problem? "full"|"other version"

---@class engine.menu
---@field message string the error that ended the previous game; "" if no error occurred
local M = { message = native.message }

local known = {} -- lists of games that have been found, by kind

-- Returns the games or, if `kind` is "examples", the examples, sorted by path. Do not change the list.
---@param kind? string
---@return { name: string, title: string, folder: string, max_players: integer }[]
function M.games(kind)
  kind = kind or "games"
  if known[kind] then
    return known[kind]
  end
  local out, root = {}, SCRIPTS .. "/" .. kind
  known[kind] = out
  if not native.is_folder(root) then
    return out
  end
  for _, path in ipairs(native.list_files(root, "game.lua") or {}) do
    local name = path:match("^([^/]+)/game%.lua$")
    if name then
      local text = native.read_file(root .. "/" .. path) or ""
      out[#out + 1] = { name = name, title = read_title(text, name), folder = root .. "/" .. name,
        max_players = read_max_players(text) }
    end
  end
  return out
end

local function rank_file(path)
  return path == "game.lua" and 0 or path:find("/") and 2 or 1
end

-- Returns the Lua files of a game as one text, with the name of each file above its source. Omits the first file with
-- which the sources would exceed MAX_BYTES, and all later files.
---@param folder string
---@return string
function M.source(folder)
  local paths, out, bytes = native.list_files(folder, ".lua") or {}, {}, 0
  table.sort(paths, function(a, b)
    return rank_file(a) < rank_file(b) or rank_file(a) == rank_file(b) and a < b
  end)
  for _, path in ipairs(paths) do
    local text = native.read_file(folder .. "/" .. path) or ""
    bytes = bytes + #text
    if bytes > MAX_BYTES then
      break
    end
    out[#out + 1] = "-- " .. path .. "\n" .. text:gsub("\r", ""):gsub("\t", "  "):gsub("\n%f[\n]", "\n ") .. "\n "
  end
  return table.concat(out, "\n")
end

-- Writes a string, which must fit, to a field of the requests.
local function write_request(field, text, caller)
  local bytes = ffi.sizeof(abi.requests[field])
  if #text >= bytes then
    report.raise("%s: the text must have fewer than %d bytes, got %d", caller, bytes, #text)
  end
  ffi.fill(abi.requests[field], bytes)
  ffi.copy(abi.requests[field], text, #text)
end

-- Opens a game at the end of the tick.
---@param folder string
function M.open(folder)
  phases.check("menu.open")
  write_request("game", folder, "menu.open")
  abi.requests.host_match, abi.requests.join_world = false, false
  for _, field in ipairs { "join_match", "match_password", "match_key", "match_room", "match_code" } do
    write_request(field, "", "menu.open")
  end
end

-- Begins a match of a game with this machine as the host, at the end of the tick.
---@param folder string
---@param password? string password that joining machines must send; "" or nil: the host accepts or refuses each machine
function M.host(folder, password)
  phases.check("menu.host")
  M.open(folder)
  write_request("match_password", password or "", "menu.host")
  abi.requests.host_match = true
end

-- Joins the match of a host at the end of the tick.
---@param folder string folder of the same game on this machine
---@param address string address of the host: "192.168.1.5" or "example.org:4711"
---@param password? string password of the match; "" or nil: no password
---@param key? string code of the key that the host must have, which the host's lobby shows
function M.join(folder, address, password, key)
  phases.check("menu.join")
  M.open(folder)
  write_request("match_password", password or "", "menu.join")
  write_request("match_key", key or "", "menu.join")
  write_request("join_match", address, "menu.join")
end

-- Joins a served world at the end of the tick.
---@param folder string folder of the same game on this machine
---@param address string address of the world: "192.168.1.5" or "example.org:4711"
---@param room? string name of the room; "" or nil: any room
---@param code? string code of an invitation or of a reset; "" or nil: no code
function M.join_world(folder, address, room, code)
  phases.check("menu.join_world")
  M.open(folder)
  write_request("match_room", room or "", "menu.join_world")
  write_request("match_code", code or "", "menu.join_world")
  write_request("join_match", address, "menu.join_world")
  abi.requests.join_world = true
end

-- Returns the game with this title that at least two players can play; nil if this machine has no such game.
---@param title string
---@return { name: string, title: string, folder: string, max_players: integer }?
function M.find_game(title)
  for _, kind in ipairs { "games", "examples" } do
    for _, game in ipairs(M.games(kind)) do
      if game.title == title and game.max_players >= 2 then
        return game
      end
    end
  end
end

local hashes = {} -- hash of a game's files by folder; false: hashing failed

local function hash_game(folder)
  if hashes[folder] == nil then
    hashes[folder] = native.hash_game(folder, native.engine_folder) or false
  end
  return hashes[folder]
end

-- Returns the reason why this machine cannot join a match; nil if it can probably join.
local function find_problem(match)
  local game = M.find_game(match.title)
  local own = game and hash_game(game.folder)
  if own and own ~= match.files then
    return "other version"
  end
  return match.players >= match.max_players and "full" or nil
end

-- Returns the matches in the local network whose hosts have answered within the last two seconds, in the order in which
-- they were found. Returns nil and a message on failure. Call the function about twice per second while the matches are
-- shown: each call is recorded, and the network is searched at most every half second. If this machine is known to be
-- unable to join a match, its field `problem` contains the reason.
---@return engine.menu.Match[]?
---@return string?
function M.matches()
  phases.check("menu.matches")
  local text, message = native.find_matches()
  if not text then
    return nil, message
  end
  -- The result is "" in the child process that tests changed code: it does not search for matches.
  local out = text ~= "" and json.decode(text) or {}
  for _, match in ipairs(out) do
    match.problem = find_problem(match)
  end
  return out
end

return M
