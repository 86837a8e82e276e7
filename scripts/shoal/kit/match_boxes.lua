-- Boxes that the menu of a match shows in front of the game: at the top, the question whether a machine may join; in
-- the middle, the panel that shows why the match waits or has ended. C sets the text of the boxes, and handles the keys
-- and pad buttons that have the same effect as their buttons (host/match_question.c, host/match_panel.c).
local need = ...
local abi = need("base/abi")
local state = need("base/vm_state")
local access = need("kit/access")
local ui = need("kit/ui")
local widget_tree = need("kit/widget_tree")
local vector = need("math/vector")
local components = need("schema/component")
local schema = need("schema/schema")
local event = need("world/event")
local world = need("world/world")
local ffi = abi.ffi

---@class engine.match_boxes
local M = {}
local LINES, BUTTONS = 4, 3 -- equal to the sizes in script_match_box_t
local CHOICE = "shoal.box_choice"
M.PRESS = "shoal.press_box" -- event that a button of a box emits

-- Lengths are for a text size of 22.
local STRIPE, GAP = 5, 14 -- width of the coloured stripe; gap between the stripe, the text and the buttons

local MIN_WIDTH_BESIDE = 1150 -- minimum width of a screen on which the buttons are beside the question's text

-- Appearance of the boxes, by match_box_t. If `is_low` is true, lines do not wrap, and the buttons are beside the text
-- if the screen is wide enough.
local LOOKS = {
  [0] = { anchor = "top", margin = 12, layer = 2, padding = 14, style = "", is_low = true },
  [1] = { anchor = "centre", margin = 0, layer = 1, padding = 24, style = "heading", width = 640 },
}

---@class engine.MatchBox
---@field root shoal.Entity
---@field stripe shoal.Entity
---@field title shoal.Entity
---@field lines shoal.Entity[]
---@field hint shoal.Entity
---@field buttons { root: shoal.Entity, button: shoal.Entity, keys: shoal.Entity }[]

-- Declares the component of the boxes' buttons and the event that they emit. Returns the schema of the component.
---@return engine.Schema
function M.declare()
  event.add_declared(schema.define(M.PRESS, "event", { { "entity", "entity" } }), { M.PRESS })
  local choice = schema.define(CHOICE, "component", { { "box", "i32" }, { "button", "i32" } })
  components.add_declared(choice).builtin = true
  return choice
end

-- --- widgets

local function spawn_panel(parent, fields, widget)
  fields.style, fields.padding = "plain", 0
  return widget_tree.spawn(parent, { panel = fields, widget = widget or {} })
end

local function spawn_label(parent, fields)
  return widget_tree.spawn(parent, { label = fields, widget = {} })
end

local function spawn_button(parent, box, number, scale)
  local root = spawn_panel(parent, { layout = "row", gap = 8 * scale, align = "centre" })
  return { root = root,
    button = widget_tree.spawn(root, { button = { emits = M.PRESS }, box_choice = { box = box, button = number } }),
    keys = spawn_label(root, { markup = true, style = "dim" }) }
end

local function spawn_root(look, scale)
  return world.api.spawn(nil, { transform = {},
    [widget_tree.component_name("panel")] = { layout = "row", keys = false, gap = GAP * scale,
      padding = look.padding * scale },
    [widget_tree.component_name("widget")] = { anchor = look.anchor, margin = look.margin * scale, layer = look.layer,
      width = look.width and math.min(state.config.width * 0.94, look.width * scale * access.get_text_scale()) or 0 } })
end

-- Returns true if the screen has space for the buttons beside the text. Two pad buttons with the effect of a button,
-- such as "Back + Y", need more space.
local function has_space_beside(source, scale)
  local width = ffi.string(source.pads[0]):find("+", 1, true) and MIN_WIDTH_BESIDE * 1.3 or MIN_WIDTH_BESIDE
  return state.config.width >= width * scale * access.get_text_scale()
end

local function spawn_box(number, source)
  local look, scale = LOOKS[number], ui.size / 22
  local box = { root = spawn_root(look, scale), lines = {}, buttons = {} } ---@type engine.MatchBox
  box.stripe = widget_tree.spawn(box.root, { bar = {}, widget = { width = STRIPE * scale } })
  local width = box.root[widget_tree.component_name("widget")].width
  local text = spawn_panel(box.root, { gap = (look.is_low and 2 or 12) * scale, justify = "centre" },
    { width = width > 0 and width - (2 * look.padding + STRIPE + GAP) * scale or 0 })
  box.title = spawn_label(text, { style = look.style, wrap = not look.is_low })
  for i = 1, LINES do
    box.lines[i] = spawn_label(text, { style = look.is_low and "dim" or "", wrap = not look.is_low })
  end
  box.hint = spawn_label(text, { style = "dim", wrap = true })
  local is_beside = look.is_low and has_space_beside(source, scale)
  local row = spawn_panel(is_beside and box.root or text,
    { layout = "row", gap = 16 * scale, justify = "end", align = "centre" },
    { margin = look.is_low and not is_beside and 6 * scale or 0 })
  for i = 1, BUTTONS do
    box.buttons[i] = spawn_button(row, number, i, scale)
  end
  return box
end

-- --- texts

-- Sets the text of a label or button. `widget`: the widget that an empty text hides.
local function set_text(e, kind, text, widget)
  e[widget_tree.component_name(kind)].text = widget_tree.show_literally(text)
  widget[widget_tree.component_name("widget")].visible = text ~= ""
end

-- Returns markup that shows the key and, if a pad is connected, the pad's buttons.
local function describe_controls(keys, pads)
  return ("[key=%s]"):format(keys) .. (pads ~= "" and " " .. pads:gsub("%w+", "[pad=%0]") or "")
end

local function fill_box(box, source)
  local colour = vector.api.vec4(unpack(source.is_failure and ui.danger or { 0, 0, 0, 0 }))
  box.stripe[widget_tree.component_name("bar")].colour = colour
  box.title[widget_tree.component_name("label")].colour = colour
  set_text(box.title, "label", ffi.string(source.title), box.title)
  set_text(box.hint, "label", ffi.string(source.hint), box.hint)
  for i = 1, LINES do
    set_text(box.lines[i], "label", ffi.string(source.lines[i - 1]), box.lines[i])
  end
  for i, button in ipairs(box.buttons) do
    local controls = describe_controls(ffi.string(source.keys[i - 1]), ffi.string(source.pads[i - 1]))
    set_text(button.keys, "label", controls, button.keys)
    set_text(button.button, "button", ffi.string(source.buttons[i - 1]), button.root)
  end
end

local shown = {} ---@type table<integer, engine.MatchBox?> the boxes that are shown, by match_box_t

-- Spawns, updates and destroys the boxes after their texts have changed.
function M.update()
  for number = 0, #LOOKS do
    local source, box = abi.match_menu.boxes[number], shown[number]
    if source.title[0] ~= 0 then
      shown[number] = box or spawn_box(number, source)
      fill_box(shown[number], source)
    elseif box then
      box.root:destroy()
      shown[number] = nil
    end
  end
end

-- Passes the pressed button to the host.
---@param ev { count: integer, entity: shoal.Entity[] } events M.PRESS
function M.press(ev)
  for i = 1, ev.count do
    local choice = ev.entity[i][CHOICE]
    abi.match_menu.pressed[choice.box] = choice.button
  end
end

return M
