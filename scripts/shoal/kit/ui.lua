-- Lua side of the widgets (engine/view/ui): the theme of theme.lua, the ui_* actions of input.lua, the widgets' events,
-- and world.focus. An event that a game declares replaces the widgets' event of the same name.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local spelling = need("base/spelling")
local vm_state = need("base/vm_state")
local components = need("schema/component")
local schema = need("schema/schema")
local entity = need("world/entity")
local event = need("world/event")
local world = need("world/world")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.ui
---@field size number the theme's text size in logical pixels
---@field danger number[] the theme's colour for errors
local M = { size = 22, danger = { 1, 0.37, 0.43, 1 } } -- the defaults of ui/theme.c

-- --- events

local EVENTS = {
  pressed = { { "entity", "entity" } },
  changed = { { "entity", "entity" }, { "value", "f64" } },
  entry_submitted = { { "entity", "entity" }, { "text", "string" } },
  cancelled = { { "entity", "entity" } },
  focused = { { "entity", "entity" } },
  dialogue_ended = { { "entity", "entity" }, { "choice", "i32" } },
}

-- Declares the widgets' events, before the game's events.
function M.declare_events()
  for _, name in ipairs(sorted_keys(EVENTS)) do
    if vm_state.declares_players() then
      EVENTS[name][#EVENTS[name] + 1] = { "player", "i32" } -- the player who used the widget
    end
    event.add_declared(schema.define(name, "event", EVENTS[name]), { name })
  end
end

-- --- bindings

local ACTIONS = { ui_up = 0, ui_down = 1, ui_left = 2, ui_right = 3, ui_accept = 4, ui_back = 5, ui_next = 6,
  ui_previous = 7 }
local MAX_BINDINGS = 8

-- Replaces Shoal's bindings of a ui_* action with the game's bindings. Ignores other names.
---@param name string
---@param list ffi.cdata*[]
function M.bind(name, list)
  local action_number = ACTIONS[name]
  if action_number then
    local bindings = ffi.new("input_binding_t[?]", MAX_BINDINGS)
    for i = 1, math.min(#list, MAX_BINDINGS) do
      bindings[i - 1] = list[i]
    end
    C.ui_set_bindings(W, action_number, bindings, math.min(#list, MAX_BINDINGS))
  end
end

-- --- the theme

local STATES = { hover = 1, focus = 2, pressed = 3, disabled = 4 }
-- Properties of styles: name → { number in ui/theme.h, kind of value }.
local STYLE = { text = { 0, "colour" }, fill = { 1, "colour" }, line = { 2, "colour" }, accent = { 3, "colour" },
  size = { 4, "number" }, radius = { 5, "number" }, border = { 6, "number" }, padding = { 7, "number" },
  glow = { 8, "number" }, align = { 9, "align" }, font = { 10, "text" }, image = { 11, "text" } }
local PALETTE = { dim = { 12, "colour" }, danger = { 13, "colour" }, gap = { 14, "number" }, motion = { 15, "number" } }
for key, property in pairs(STYLE) do
  PALETTE[key] = PALETTE[key] or key ~= "image" and key ~= "align" and key ~= "glow" and property or nil
end
local SOUNDS = { focus = 16, press = 17, change = 18 }
local ALIGN = spelling.alias { start = 0, centre = 1, ["end"] = 2 }
local MAX_TEXT = { [10] = 63, [11] = 95, [16] = 63, [17] = 63, [18] = 63 }

local READ = {}

function READ.colour(v)
  local hex = type(v) == "string" and v:match("^#(%x+)$")
  if hex and (#hex == 6 or #hex == 8) then
    local out = { 0, 0, 0, 1 }
    for i = 1, #hex / 2 do
      out[i] = tonumber(hex:sub(2 * i - 1, 2 * i), 16) / 255
    end
    return out
  elseif type(v) == "table" and #v >= 3 and #v <= 4 then
    local out = { v[1], v[2], v[3], v[4] or 1 }
    for i = 1, 4 do
      if type(out[i]) ~= "number" or not (out[i] >= 0 and out[i] <= 16) then
        return nil
      end
    end
    return out
  end
end

function READ.number(v)
  return type(v) == "number" and v >= 0 and v <= 1000 and { v, 0, 0, 0 } or nil
end

function READ.align(v)
  return ALIGN[v] and { ALIGN[v], 0, 0, 0 } or nil
end

local EXPECTED = { colour = "a colour like \"#5cd6ff\" or { r, g, b, a }", number = "a number from 0 to 1000",
  align = "\"start\", \"centre\" or \"end\"", text = "the name of a file in assets/" }

local function set_theme_key(style, state, key, property, v, fail)
  local numbers = ffi.new("float[4]")
  if property[2] == "text" then
    if type(v) ~= "string" or #v > MAX_TEXT[property[1]] then
      fail(key, "%s must be %s, got %s", key, EXPECTED.text, report.describe(v))
    end
    C.ui_set_theme_key(W, style, state, property[1], numbers, v)
    return
  end
  local ok, numbers_read = pcall(READ[property[2]], v)
  if not ok or not numbers_read then
    fail(key, "%s must be %s, got %s", key, EXPECTED[property[2]], report.describe(v))
  end
  for i = 1, 4 do
    numbers[i - 1] = numbers_read[i]
  end
  C.ui_set_theme_key(W, style, state, property[1], numbers, "")
end

local function fail_unknown(key, label, allowed, fail)
  fail(key, "%s has no field %s%s; available: %s", label, report.show(key), report.suggest(key, allowed),
    report.join_names(allowed))
end

local function read_style(name, declaration, fail, addon)
  scope.declare(addon, "style", name)
  name = scope.add_prefix("style", name, addon)
  if type(name) ~= "string" or #name > 47 then
    fail(name, "a style must have a name of at most 47 bytes, got %s: use title = { size = 44 }", report.describe(name))
  elseif type(declaration) ~= "table" then
    fail(name, "the style %s must be a table, got %s: use %s = { size = 44 }", name, report.describe(declaration), name)
  end
  for _, key in ipairs(sorted_keys(declaration)) do
    if STYLE[key] then
      set_theme_key(name, 0, key, STYLE[key], declaration[key], fail)
    elseif STATES[key] and type(declaration[key]) == "table" then
      for _, inner_key in ipairs(sorted_keys(declaration[key])) do
        if not STYLE[inner_key] then
          fail_unknown(inner_key, name .. "." .. key, STYLE, fail)
        end
        set_theme_key(name, STATES[key], inner_key, STYLE[inner_key], declaration[key][inner_key], fail)
      end
    else
      local allowed = { hover = true, focus = true, pressed = true, disabled = true }
      for style_key in pairs(STYLE) do
        allowed[style_key] = true
      end
      fail_unknown(key, "the style " .. name, allowed, fail)
    end
  end
end

-- The theme's default sizes are designed for a screen that is DESIGN_HEIGHT logical pixels high. They are scaled down
-- in proportion only if the screen is less than SMALL_HEIGHT logical pixels high.
local SMALL_HEIGHT, DESIGN_HEIGHT = 360, 480
local SIZES = { size = 22, padding = 24, gap = 10, radius = 8, border = 1.5 } -- the defaults of ui/theme.c

-- Scales the theme's default sizes for games with a small logical screen, such as pixel art.
---@param height integer? logical height from game.lua; nil: not set
function M.scale_to_height(height)
  for key, v in pairs(height and height < SMALL_HEIGHT and SIZES or {}) do
    set_theme_key("", 0, key, PALETTE[key], math.max(1, math.floor(v * height / DESIGN_HEIGHT + 0.5)), function() end)
    M.size = key == "size" and math.max(1, math.floor(v * height / DESIGN_HEIGHT + 0.5)) or M.size
  end
end

-- Checks the theme of theme.lua and passes it to C.
---@param theme any the value that theme.lua returned
---@param at engine.At
function M.read_theme(theme, at)
  local function fail(key, format, ...)
    report.fail { message = string.format(format, ...), file = at.file, piece = "theme",
      line = key and report.find_line(at.text, report.show(key)) or 1 }
  end
  if type(theme) ~= "table" then
    fail(nil, "theme.lua must return a table: return { accent = \"#5cd6ff\" }")
  end
  for _, key in ipairs(sorted_keys(theme)) do
    if at.addon and key ~= "styles" then
      fail(key, "the theme of an add-on can only have styles, got %s: declare it in theme.lua of the game",
        report.show(key))
    elseif PALETTE[key] then
      set_theme_key("", 0, key, PALETTE[key], theme[key], fail)
      M.size = key == "size" and theme[key] or M.size
      M.danger = key == "danger" and READ.colour(theme[key]) or M.danger
    elseif (key == "sounds" or key == "styles") and type(theme[key]) == "table" then
      for _, name in ipairs(sorted_keys(theme[key])) do
        if key == "styles" then
          read_style(name, theme[key][name], fail, at.addon)
        elseif not SOUNDS[name] then
          fail_unknown(name, "sounds", SOUNDS, fail)
        else
          set_theme_key("", 0, name, { SOUNDS[name], "text" }, theme[key][name], fail)
        end
      end
    else
      local allowed = { sounds = true, styles = true }
      for name in pairs(PALETTE) do
        allowed[name] = true
      end
      fail_unknown(key, "a theme", allowed, fail)
    end
  end
end

-- --- the focus

-- Returns the id of the focused entity; nil if no entity has the focus.
local function find_focused(component)
  for row = 0, component.manager.count - 1 do
    if component.get_row.focused(row) then
      return component.manager.owner[row]
    end
  end
end

-- Implements world.focus: moves the focus to an entity; nil and shoal.none remove the focus. Without an argument,
-- returns the focused entity.
function world.functions.focus(...)
  phases.check(select("#", ...) == 0 and "world.focus" or "world.focus(e)")
  local component, e = components.find_builtin("widget"), (...)
  local focused = find_focused(component)
  if select("#", ...) == 0 then
    return focused and handle.handle(focused) or nil
  end
  local id = e ~= nil and handle.get_id(e)
  if e == nil or id == 0 then
    if vm_state.declares_players() then
      C.ui_remove_focus(W)
    elseif focused then
      entity.set_fields(focused, component, 0, { focused = false })
    end
    return nil
  elseif not id or not handle.is_alive(id) then
    report.raise("world.focus: expected a living entity or shoal.none, got %s", report.describe(e))
  elseif not C.world_add_component(W, id, component.id, 0, abi.error) then
    report.raise("world.focus: %s", abi.get_error_text())
  end
  entity.set_fields(id, component, 0, { focused = true })
  return e
end

return M
