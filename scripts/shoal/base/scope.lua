-- Names inside add-ons. A name that an add-on declares has a prefix outside the add-on ("menu.cursor") and none in the
-- add-on's own code (`cursor`: a plain name). While code of an add-on runs, its plain names are entered in the tables
-- that look up names ("shallow binding"), so that game code, the common case, pays nothing for this.
---@class engine.Addon
---@field name string the name that the game gives it, "menu"
---@field own string the name in addon.lua, by which other add-ons require it
---@field version string
---@field licence? string
---@field prefix string "menu."
---@field root string prefix of its files, "addons/menu/"
---@field names table<string, table<string, boolean>> kind → set of the plain names that it declares
---@field others table<string, engine.Addon> required add-ons by their own names
---@field bound? { owner: table, field: string, plain: string, full: string }[] entries in the registered tables

---@class engine.scope
---@field current engine.Addon|false the add-on whose code runs; false: the game
---@field by_name table<string, engine.Addon>
---@field list engine.Addon[] sorted by name
local M = { current = false, by_name = {}, list = {} }

local tables = {} ---@type { kind: string, owner: table, field: string }[]
local NONE = {}

-- Registers owner[field], a table indexed by name. The plain names of the running add-on will be entered in it.
---@param kind "component"|"event"|"assemblage"|"layer"
---@param owner table
---@param field string
function M.register(kind, owner, field)
  tables[#tables + 1] = { kind = kind, owner = owner, field = field }
end

-- Returns the full name of `name` in code of `addon`: "menu.cursor" for its own `cursor`. In "pause.open", a name of a
-- required add-on, replaces the prefix by the name that the game gives that add-on. Returns any other name unchanged.
---@param kind string
---@param name any
---@param addon engine.Addon|false
---@return any
function M.full(kind, name, addon)
  if not addon or type(name) ~= "string" then
    return name
  elseif (addon.names[kind] or NONE)[name] then
    return kind == "asset" and addon.name .. "/" .. name or addon.prefix .. name
  end
  local own, rest = name:match(kind == "asset" and "^([^/]+)/(.+)$" or "^([^.]+)%.(.+)$")
  local other = own and addon.others[own]
  return other and other.name .. (kind == "asset" and "/" or ".") .. rest or name
end

-- Returns the full name of `name` in the running code.
---@param kind string
---@param name any
---@return any
function M.name(kind, name)
  if M.current then
    return M.full(kind, name, M.current)
  end
  return name
end

-- Declares plain names of an add-on.
---@param addon engine.Addon|false
---@param kind string
---@param name any
function M.declare(addon, kind, name)
  if addon and type(name) == "string" then
    addon.names[kind] = addon.names[kind] or {}
    addon.names[kind][name] = true
  end
end

local function bindings_of(addon)
  local out = {}
  for _, item in ipairs(tables) do
    for plain in pairs(addon.names[item.kind] or NONE) do
      out[#out + 1] = { owner = item.owner, field = item.field, plain = plain, full = addon.prefix .. plain }
    end
    for own, other in pairs(addon.others) do
      for plain in pairs(own ~= other.name and other.names[item.kind] or NONE) do
        out[#out + 1] = { owner = item.owner, field = item.field, plain = own .. "." .. plain,
          full = other.prefix .. plain }
      end
    end
  end
  return out
end

-- Arrays parallel to `bound` of the running add-on. bound_in[i]: the table in which the name was entered; it must be
-- kept because its owner may replace the table meanwhile. hidden[i]: the game's value of the plain name, which unbind
-- restores.
local bound_in, hidden = {}, {}

local function unbind(bound)
  for i = #bound, 1, -1 do
    rawset(bound_in[i], bound[i].plain, hidden[i])
    hidden[i] = nil
  end
end

local function bind(bound)
  for i = 1, #bound do
    local item = bound[i]
    local by_name = item.owner[item.field]
    bound_in[i], hidden[i] = by_name, rawget(by_name, item.plain)
    local v = by_name[item.full]
    if v ~= nil then
      rawset(by_name, item.plain, v)
    end
  end
end

local function switch(addon)
  if M.current and M.current.bound then
    unbind(M.current.bound)
  end
  M.current = addon
  if addon and addon.bound then
    bind(addon.bound)
  end
end

-- Sets the add-on whose code runs from now on; `false` stands for the game.
---@param addon engine.Addon|false
function M.set(addon)
  if M.current ~= addon then
    switch(addon)
  end
end

-- Ends loading: from now on, M.set enters the plain names in the registered tables.
function M.finish()
  M.set(false)
  for _, addon in ipairs(M.list) do
    addon.bound = bindings_of(addon)
  end
end

local function leave(outer, ...)
  M.set(outer)
  return ...
end

local wrapped = {} -- function → its wrapper

-- Returns a function that runs `f` as code of the add-on. If `f` throws, the scope is not restored: the caller that
-- catches the error must restore its own.
---@param f function
---@param addon engine.Addon
---@return function
function M.wrap(f, addon)
  if not wrapped[f] then
    wrapped[f] = function(...)
      local outer = M.current
      M.set(addon)
      return leave(outer, f(...))
    end
  end
  return wrapped[f]
end

-- Returns the add-on to which a file belongs, or false for files of the game and the engine.
---@param file string
---@return engine.Addon|false
function M.of_file(file)
  local name = file:match("^addons/([^/]+)/")
  return name and M.by_name[name] or false
end

return M
