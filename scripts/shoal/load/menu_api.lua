-- What the menu (scripts/shoal/menu, a game folder like any other) may ask beyond the contract: which games and
-- examples there are, what their files say, what went wrong before it was opened, and to open one.
local need, native = ...
local abi = need("base/abi")
local ffi = abi.ffi

local SCRIPTS = native.engine_folder:gsub("/shoal/*$", "")
local MAX_BYTES = 65536 -- of a game's source that is shown

local function title_of(text, name)
  return text:match("title%s*=%s*\"([^\"]+)\"") or name
end

---@class engine.menu
---@field message string what went wrong before the menu was opened; "" for nothing
local M = { message = native.message }

-- kind: "games" or "examples" → an array of { name, title, folder }, by name
---@param kind? string
---@return { name: string, title: string, folder: string }[]
function M.games(kind)
  local out, at = {}, SCRIPTS .. "/" .. (kind or "games")
  if not native.is_folder(at) then
    return out
  end
  for _, path in ipairs(native.list_files(at, "game.lua") or {}) do
    local name = path:match("^([^/]+)/game%.lua$")
    if name then
      out[#out + 1] = { name = name, title = title_of(native.read_file(at .. "/" .. path) or "", name),
        folder = at .. "/" .. name }
    end
  end
  return out
end

local function rank(path)
  return path == "game.lua" and 0 or path:find("/") and 2 or 1
end

-- The Lua files of a game one below the other, each under its name.
---@param folder string
---@return string
function M.source(folder)
  local paths, out, bytes = native.list_files(folder, ".lua") or {}, {}, 0
  table.sort(paths, function(a, b)
    return rank(a) < rank(b) or rank(a) == rank(b) and a < b
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

-- Takes effect when the tick has ended.
---@param folder string
function M.open(folder)
  ffi.fill(abi.requests.game, 512)
  ffi.copy(abi.requests.game, folder, math.min(#folder, 511))
end

return M
