-- What the menu (scripts/shoal/menu, a game folder like any other) may ask beyond the contract: which games there are,
-- what went wrong before it was opened, and to open one.
local need, native = ...
local abi = need("abi")
local ffi = abi.ffi

local GAMES = native.engine_folder:gsub("/shoal/*$", "/games")

local function title_of(text, name)
  return text:match("title%s*=%s*\"([^\"]+)\"") or name
end

---@class engine.menu
---@field message string what went wrong before the menu was opened; "" for nothing
local M = { message = native.message }

-- → an array of { name, title, folder }, by name
---@return { name: string, title: string, folder: string }[]
function M.games()
  local out = {}
  if not native.is_folder(GAMES) then
    return out
  end
  for _, path in ipairs(native.list_files(GAMES, "game.lua") or {}) do
    local name = path:match("^([^/]+)/game%.lua$")
    if name then
      out[#out + 1] = { name = name, title = title_of(native.read_file(GAMES .. "/" .. path) or "", name),
        folder = GAMES .. "/" .. name }
    end
  end
  return out
end

-- Takes effect when the tick has ended.
---@param folder string
function M.open(folder)
  ffi.fill(abi.requests.game, 512)
  ffi.copy(abi.requests.game, folder, math.min(#folder, 511))
end

return M
