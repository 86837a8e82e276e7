-- On-screen keyboard for entries. It opens when a player presses an entry with a pad (ui/text_entry.c then emits the
-- event shoal.option for the entry), and edits the entry as if the player had typed. The keyboard uses the components
-- and the system of the options screen (kit/options.lua), so games need no additional components. The root has both
-- components:
--   shoal.options: `tab` is TAB, `page` the number of the page, `body` the entry, `hint` the copy of the entry that
--     shows the text
--   shoal.option: `name` is the original text, `part` the language, `pad` is true while Shift is on
-- In a key's shoal.option, `does` names the action and `name` the character.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local state = need("base/vm_state")
local utf8 = need("base/utf8")
local game_strings = need("kit/game_strings")
local layouts = need("kit/keyboard_layouts")
local ui = need("kit/ui")
local widget_tree = need("kit/widget_tree")
local world = need("world/world")

local C, W = abi.C, abi.world

---@class engine.keyboard
local M = {}
local EVENT, TAB = "shoal.option", "keyboard"
local LAYER = 200 -- the keyboard is drawn in front of the options screen
local MAX_CHARACTERS = 4096 -- maximum number of characters in an entry (ui/text_entry.c)

-- --- widgets

local function get(e, kind)
  return e[widget_tree.component_name(kind)]
end

-- Returns the characters of a row as a list.
local function list_characters(row)
  local out = {}
  for _, code in utf8.codes(row) do
    out[#out + 1] = utf8.char(code)
  end
  return out
end

local function create_key(does, character, text, cancels)
  return { button = { text = text, emits = EVENT, cancel = cancels }, widget = {},
    option = { does = does, name = character } }
end

-- Returns the keys of a row. All keys of a page have the same width.
local function create_row(row, capitals, width)
  local keys = { panel = { layout = "row", justify = "centre" } }
  for i, character in ipairs(list_characters(row)) do
    keys[i] = create_key("type", character, capitals and layouts.capital(character) or character)
    keys[i].widget.width = width
  end
  return keys
end

-- Returns the row with the keys Shift, next page, Space, Delete, Cancel and Done.
local function create_controls(pages, page)
  local next_page = pages[page % #pages + 1]
  local keys = { panel = { layout = "row" },
    create_key("shift", "", game_strings.resolve "shift"),
    create_key("turn", "", table.concat(list_characters(next_page[2]), "", 1, 3)),
    create_key("space", "", game_strings.resolve "space"),
    create_key("delete", "", game_strings.resolve "delete"),
    create_key("cancel", "", game_strings.resolve "cancel", true),
    create_key("done", "", game_strings.resolve "done") }
  for _, key in ipairs(keys) do
    key.widget.grow = 1
  end
  return keys
end

local function count_columns(page)
  local count = 1
  for _, row in ipairs(page) do
    count = math.max(count, utf8.len(row))
  end
  return count
end

local function compute_width()
  return math.min(state.config.width * 0.9, 712 * ui.size / 22)
end

-- Returns the widgets of all keys. The first letter has the focus.
local function create_keys(language, page, capitals)
  local text_scale, pages, width = ui.size / 22, layouts.find(language), compute_width()
  local gap, columns = 6 * text_scale, count_columns(pages[page])
  local out = { panel = { gap = gap, style = "plain", padding = 0 }, widget = { width = width } }
  for number, row in ipairs(pages[page]) do
    out[number] = create_row(row, capitals, (width - (columns - 1) * gap) / columns)
  end
  out[2][1].widget.focused = true
  out[#out + 1] = create_controls(pages, page)
  for _, row in ipairs(out) do
    row.panel.gap, row.panel.style, row.panel.padding = gap, "plain", 0
    row.widget = { height = 44 * text_scale }
  end
  return out
end

-- Opens a keyboard for an entry. In a game without players, `player` is 0 and `language` is "".
local function open(entry, player, language)
  local source, text_scale = get(entry, "entry"), ui.size / 22
  language = state.declares_players() and language or game_strings.language()
  local root = world.api.spawn(nil, { transform = {},
    ["shoal.options"] = { tab = TAB, page = 1, body = entry },
    ["shoal.option"] = { name = source.text, part = language },
    [widget_tree.component_name("panel")] = { modal = true, gap = 12 * text_scale },
    [widget_tree.component_name("widget")] = { layer = LAYER, player = player } })
  local copy = widget_tree.spawn(root, { entry = { text = source.text, placeholder = source.placeholder,
    max = source.max, secret = source.secret }, widget = { disabled = true, width = compute_width() } })
  root["shoal.options"].hint = copy
  widget_tree.spawn(root, create_keys(language, 1, false))
end

-- --- actions of keys

-- Returns true for the root of a keyboard.
---@param e shoal.Entity
---@return boolean
function M.is_keyboard(e)
  return e:has("shoal.options") and e["shoal.options"].tab == TAB
end

local function find_root(e)
  while e and not M.is_keyboard(e) do
    e = e:parent()
  end
  return e
end

-- Updates the texts of the keys that type a character.
local function update_characters(root)
  local capitals = root["shoal.option"].pad
  local function visit(e)
    local option = e:has("shoal.option") and e["shoal.option"]
    if option and option.does == "type" then
      get(e, "button").text = capitals and layouts.capital(option.name) or option.name
    end
    for _, child in ipairs(e:children()) do
      visit(child)
    end
  end
  visit(root)
end

-- Deletes characters before the cursor, and then inserts text.
local function edit(root, erased, text)
  C.ui_type_text(W, handle.get_id(root["shoal.options"].body), get(root, "widget").player, text, erased)
end

local ACTIONS = {}

-- Types the key's character. Shift applies to one character, as at the beginning of a name.
function ACTIONS.type(root, option)
  local keyboard = root["shoal.option"]
  edit(root, 0, keyboard.pad and layouts.capital(option.name) or option.name)
  if keyboard.pad then
    keyboard.pad = false
    update_characters(root)
  end
end

function ACTIONS.shift(root)
  root["shoal.option"].pad = not root["shoal.option"].pad
  update_characters(root)
end

-- Shows the next page of keys.
function ACTIONS.turn(root)
  local screen, keyboard = root["shoal.options"], root["shoal.option"]
  screen.page = screen.page % #layouts.find(keyboard.part) + 1
  for _, child in ipairs(root:children()) do
    if child ~= screen.hint then
      child:destroy()
    end
  end
  widget_tree.spawn(root, create_keys(keyboard.part, screen.page, keyboard.pad))
end

function ACTIONS.space(root)
  edit(root, 0, " ")
end

function ACTIONS.delete(root)
  edit(root, 1, "")
end

function ACTIONS.cancel(root)
  -- Moves the cursor to the end, so that `edit` replaces the whole text.
  get(root["shoal.options"].body, "entry").cursor = -1
  edit(root, MAX_CHARACTERS, root["shoal.option"].name)
  root:destroy()
end

function ACTIONS.done(root)
  C.ui_submit_entry(W, handle.get_id(root["shoal.options"].body), get(root, "widget").player)
  root:destroy()
end

-- Handles the event shoal.option of an entry, which opens the keyboard, or of a key. Ignores other entities.
---@param e shoal.Entity a living entity
---@param player integer number of the player who pressed; 0 in a game without players
---@param language string the player's language
function M.handle_press(e, player, language)
  local option = e:has("shoal.option") and e["shoal.option"]
  local root = option and find_root(e)
  if root and ACTIONS[option.does] and root["shoal.options"].body then
    ACTIONS[option.does](root, option)
  elseif e:has(widget_tree.component_name("entry")) then
    open(e, player, language)
  end
end

-- Shows the text of the entry, and closes the keyboard if the entry no longer exists.
---@param root shoal.Entity
function M.show_text(root)
  local screen = root["shoal.options"]
  if not (screen.body and screen.body:alive()) then
    root:destroy()
  elseif get(screen.hint, "entry").text ~= get(screen.body, "entry").text then
    get(screen.hint, "entry").text = get(screen.body, "entry").text
  end
end

return M
