-- Functions that only the menu (scripts/shoal/menu, otherwise an ordinary game folder) can call: they list games and
-- examples, return their source, and open a game. `message` is the error that ended the previous game.
local need, native = ...
local abi = need("base/abi")
local ffi = abi.ffi

local SCRIPTS = native.engine_folder:gsub("/shoal/*$", "")
local MAX_BYTES = 65536 -- maximum size of the source shown for a game

local function read_title(text, name)
  return text:match("title%s*=%s*\"([^\"]+)\"") or name
end

---@class engine.menu
---@field message string the error that opened the menu; "" if no error occurred
local M = { message = native.message }

-- Returns the games or, if `kind` is "examples", the examples, sorted by path.
---@param kind? string
---@return { name: string, title: string, folder: string }[]
function M.games(kind)
  local out, root = {}, SCRIPTS .. "/" .. (kind or "games")
  if not native.is_folder(root) then
    return out
  end
  for _, path in ipairs(native.list_files(root, "game.lua") or {}) do
    local name = path:match("^([^/]+)/game%.lua$")
    if name then
      out[#out + 1] = { name = name, title = read_title(native.read_file(root .. "/" .. path) or "", name),
        folder = root .. "/" .. name }
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

-- Opens a game at the end of the tick.
---@param folder string
function M.open(folder)
  ffi.fill(abi.requests.game, 512)
  ffi.copy(abi.requests.game, folder, math.min(#folder, 511))
end

return M
