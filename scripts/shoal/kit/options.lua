-- Options screen opened by world.options(): widgets for the settings of settings.lua and the keys of input.lua. The
-- screen is an entity with the component shoal.options. Widgets that change a setting are bound to the setting's field;
-- all other interactive widgets have the component shoal.option. Both components are declared in every game, because
-- any code may open the screen: an add-on, a packaged game without source code, the console.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local phases = need("base/phases")
local sorted_keys = need("base/sorted_keys")
local utf8 = need("base/utf8")
local state = need("base/vm_state")
local input = need("kit/input")
local access = need("kit/access")
local keyboard = need("kit/keyboard")
local settings = need("kit/settings")
local ui = need("kit/ui")
local widget_tree = need("kit/widget_tree")
local game_strings = need("kit/game_strings")
local audio = need("media/audio")
local components = need("schema/component")
local schema = need("schema/schema")
local system = need("systems/system")
local entity = need("world/entity")
local event = need("world/event")
local world = need("world/world")

local C, W = abi.C, abi.world

---@class engine.options
local M = {}
local EVENT, CLOSED = "shoal.option", "options_closed"
local WINDOW = { fullscreen = true, vsync = true, scale = true }

-- Declares the screen's components and events. Returns the schemas of the components.
---@return engine.Schema[]
function M.declare()
  if not event.by_name[CLOSED] then
    event.add_declared(schema.define(CLOSED, "event", {}), { CLOSED })
    event.by_name[CLOSED].emitted_by_scripts = true
  end
  local out = {
    schema.define("shoal.options", "component", { { "tab", "string" }, { "page", "i32" }, { "asks", "bool" },
      { "body", "entity" }, { "hint", "entity" } }),
    schema.define("shoal.option", "component", { { "does", "string" }, { "name", "string" }, { "part", "string" },
      { "pad", "bool" } }),
  }
  for _, component_schema in ipairs(out) do
    components.add_declared(component_schema).builtin = true
  end
  local fields = { { "entity", "entity" }, { "value", "f64" } }
  if state.declares_players() then -- the on-screen keyboard passes its player and language
    fields[#fields + 1] = { "player", "i32" }
    fields[#fields + 1] = { "text", "string" }
  end
  event.add_declared(schema.define(EVENT, "event", fields), { EVENT })
  return out
end

-- --- settings

local function get_screen_size()
  local game = state.config
  return game.width, game.height
end

local function is_volume(field)
  return field.type == "f32" and audio.is_bus(field.name)
end

local function get_range(field)
  local range = settings.ranges[field.name]
  return range and range.min, range and range.max
end

-- Returns the widget of a setting; nil if no widget supports the setting's type, or if the setting is a number without
-- a range and not a volume.
local function create_setting_widget(field)
  local name, minimum, maximum = game_strings.title("settings", field.name), get_range(field)
  local path = "settings." .. field.name
  if field.type == "bool" then
    return { checkbox = { text = name, bind = path } }
  elseif field.type == "enum" then
    local items = {}
    for i, choice in ipairs(field.choices) do
      items[i] = field.name == "language" and game_strings.get_language_name(choice)
        or game_strings.title("choices", choice)
    end
    return { list = { text = name, items = table.concat(items, "\n"), rows = 1, bind = path } }
  elseif is_volume(field) then
    return { slider = { text = name, bind = path, min = minimum or 0, max = maximum or 1, step = 0.05 } }
  elseif (field.type == "f32" or field.type == "f64" or field.type:find("^[iu]%d")) and minimum and maximum then
    return { slider = { text = name, bind = path, min = minimum, max = maximum,
      step = field.type:find("^[iu]") and 1 or 0 } }
  end
  return nil
end

local function create_access_tab()
  local out, by_name = {}, components.by_name.settings and components.by_name.settings.by_name or {}
  for _, name in ipairs(access.names) do
    out[#out + 1] = access.is_added(name) and by_name[name] and create_setting_widget(by_name[name]) or nil
  end
  return out
end

-- Returns the widgets of a tab in the order of the fields, except that the master volume comes first.
local function list_settings(requested_tab)
  local out = {}
  for _, field in ipairs(components.by_name.settings and components.by_name.settings.fields or {}) do
    local is_language = field.name == "language"
    local tab = access.is_added(field.name) and "access" or is_volume(field) and "sound"
      or WINDOW[field.name] and "display" or "game"
    local is_shown = not is_language or field.type == "enum" and #game_strings.languages > 1
    -- In a match, all other settings belong to the host, and change with the world.
    is_shown = is_shown and (not abi.match_menu or settings.is_of_machine(field.name))
    if tab == requested_tab and is_shown and not field.hidden then
      table.insert(out, field.name == "master" and 1 or #out + 1, create_setting_widget(field))
    end
  end
  return out
end

-- --- tabs

local EXPAND = 3 -- equal to LETTERBOX_EXPAND in C

-- Lists the scales in the order of letterbox_mode_t. Only games with the scale "expand" offer it.
local function format_scale_names()
  local names = { "fit", "integer", "stretch" }
  if (state.game.window or {}).scale == "expand" or abi.input.scale == EXPAND then
    names[EXPAND + 1] = "expand"
  end
  for i, name in ipairs(names) do
    names[i] = game_strings.resolve(name)
  end
  return table.concat(names, "\n")
end

local function create_display_tab()
  local settings_fields = components.by_name.settings and components.by_name.settings.by_name or {}
  local out = list_settings("display")
  if not settings_fields.fullscreen then
    table.insert(out, 1, { checkbox = { text = game_strings.resolve "fullscreen", emits = EVENT },
      option = { does = "fullscreen" } })
  end
  if not settings_fields.scale then
    out[#out + 1] = {
      list = { text = game_strings.resolve "scale", items = format_scale_names(), rows = 1, emits = EVENT },
      option = { does = "scale" } }
  end
  if not settings_fields.vsync then
    out[#out + 1] = { checkbox = { text = game_strings.resolve "vsync", emits = EVENT }, option = { does = "vsync" } }
  end
  return out
end

-- Returns the names of all actions in the order of input.lua.
local function list_actions_in_order()
  local names, actions = input.api.actions(), input.actions
  table.sort(names, function(a, b)
    local first, second = actions[a].position, actions[b].position
    return first < second or first == second and a < b
  end)
  return names
end

-- Returns the rows of the keys tab: { action, part, label, stick }. `stick` is true for the part `axis` of an axis,
-- which can only be bound to an axis of a pad. Omits hidden actions, the actions of widgets (ui_*), so that menus stay
-- usable, and the parts of an axis that have no bindings in input.lua.
local function list_bindable_parts()
  local out = {}
  for _, name in ipairs(list_actions_in_order()) do
    local action = input.actions[name]
    local is_listed = not action.is_hidden and not name:find("^ui_")
    if is_listed and not action.is_axis then
      out[#out + 1] = { name, "axis", game_strings.title("actions", name) }
    elseif is_listed then
      for _, part in ipairs { "negative", "positive", "axis" } do
        if #action.declared[part] > 0 then
          out[#out + 1] = { name, part, game_strings.part_title(name, part), part == "axis" }
        end
      end
    end
  end
  return out
end

-- Heights in pixels at the default text size: the keys tab without its rows, and one row.
local KEYS_OVERHEAD, KEY_ROW = 350, 50
local MAX_KEY_ROWS = 10

-- Returns the ratio of the player's text size to the theme's default, 22.
local function get_text_scale()
  return ui.size / 22 * access.get_text_scale()
end

local function get_panel_width()
  return math.min(get_screen_size() * 0.94, 760 * access.get_text_scale())
end

-- Returns the number of key rows that fit on the screen, and the ratio of the text size to the default.
local function count_rows_that_fit()
  local _, height = get_screen_size()
  local text_scale = get_text_scale()
  local rows = math.floor((height * 0.97 - KEYS_OVERHEAD * text_scale) / (KEY_ROW * text_scale))
  return math.max(2, math.min(MAX_KEY_ROWS, rows)), text_scale
end

local function create_key_button(row, pad)
  return { button = { text = " ", emits = EVENT }, widget = { grow = 1 },
    option = { does = "key", name = row[1], part = row[2], pad = pad } }
end

-- Returns the grid of all keys, which scrolls if it does not fit on the screen.
local function create_key_grid(rows, text_scale)
  local width = get_screen_size()
  local visible_rows = count_rows_that_fit()
  local grid = { panel = { layout = "grid", columns = 3, gap = 8 * text_scale, style = "plain", align = "stretch" } }
  if #rows > visible_rows then
    grid.widget = { height = (visible_rows + 0.5) * KEY_ROW * text_scale } -- a half row shows that it scrolls
  end
  for _, row in ipairs(rows) do
    grid[#grid + 1] = { panel = { layout = "row", align = "centre", style = "plain" },
      widget = { width = math.min(180, width * 0.2) }, { label = { text = row[3] } } }
    grid[#grid + 1] = row[4] and { label = { text = " " } } or create_key_button(row, false)
    grid[#grid + 1] = create_key_button(row, true)
  end
  return grid
end

-- Returns the button that resets all keys.
local function create_reset_button()
  return { button = { text = game_strings.resolve "reset_keys", emits = EVENT }, widget = { grow = 1 },
    option = { does = "ask_reset" } }
end

-- Returns the widgets that ask whether to reset all keys; they replace the list of keys.
local function create_reset_question(text_scale)
  return { { label = { text = game_strings.resolve "ask_reset", wrap = true, align = "centre" } },
    { panel = { layout = "column", gap = 8 * text_scale, style = "plain" },
      { button = { text = game_strings.resolve "cancel", emits = EVENT, cancel = true },
        widget = { grow = 1, focused = true }, option = { does = "keep_keys" } },
      { button = { text = game_strings.resolve "reset_keys", emits = EVENT }, widget = { grow = 1 },
        option = { does = "reset" } } } }
end

-- Returns the widgets of the keys tab. `asks`: true shows the question whether to reset all keys.
local function create_keys_tab(asks)
  local _, text_scale = count_rows_that_fit()
  if asks then
    return create_reset_question(text_scale)
  end
  local heading = { panel = { layout = "grid", columns = 3, gap = 8 * text_scale, style = "plain" } }
  for _, text in ipairs { " ", game_strings.resolve "keyboard", game_strings.resolve "pad" } do
    heading[#heading + 1] = { label = { text = text, style = "dim", align = "centre" } }
  end
  local hint = { label = { text = " ", style = "dim" }, widget = { height = 30 * text_scale },
    option = { does = "hint" } }
  return { heading, create_key_grid(list_bindable_parts(), text_scale), create_reset_button(), hint }
end

local MIN_TABS_WIDTH = 560 -- pixels at the default text size; in a narrower panel, the tabs are in two columns
local TABS = { "sound", "display", "game", "keys", "access" }

local function create_tab_content(tab, asks)
  if tab == "display" then
    return create_display_tab()
  elseif tab == "keys" then
    return create_keys_tab(asks)
  elseif tab == "access" then
    return create_access_tab()
  end
  return list_settings(tab)
end

local function has_content(tab)
  if tab == "keys" then
    return input.can_choose and #list_bindable_parts() > 0
  end
  return #create_tab_content(tab, false) > 0
end

local function create_page(tab, asks)
  local node = { panel = { gap = 12 * ui.size / 22, style = "plain" } }
  for i, child in ipairs(create_tab_content(tab, asks)) do
    node[i] = child
  end
  return node
end

-- Replaces the screen's body with the content of the current tab.
local function fill_body(root)
  local options = root["shoal.options"]
  for _, child in ipairs(options.body:children()) do
    child:destroy()
  end
  widget_tree.spawn(options.body, create_page(options.tab, options.asks))
end

-- --- the screen

-- Returns the distance of the options screen from the top of the window, in logical pixels: the keys tab, which is
-- usually the tallest one, is then vertically centred. All tabs have this distance, so that the row of tabs stays in
-- place although the height of the options screen depends on the tab.
local function compute_top(height)
  local rows, text_scale = count_rows_that_fit()
  rows = math.min(rows, input.can_choose and #list_bindable_parts() or 0)
  local tallest = (KEYS_OVERHEAD + KEY_ROW * math.max(4, rows)) * text_scale
  return math.max(height * 0.015, (height - tallest) / 2)
end

-- Opens the options screen and returns its root entity. In a match, the screen opens on the player's machine, in a
-- separate world (kit/match_menu.lua), and the function returns nil.
---@param player? integer in a match, the player on whose machine the screen opens; otherwise ignored
function world.functions.options(player)
  entity.changing("world.options")
  if phases.is_in_match() then
    abi.requests.options_of = bit.bor(abi.requests.options_of, world.get_player_mask("world.options", player))
    return nil
  end
  local _, height = get_screen_size()
  local first_tab
  local is_narrow = get_panel_width() / get_text_scale() < MIN_TABS_WIDTH
  local tabs = { panel = { layout = is_narrow and "grid" or "row", columns = 2, gap = 10, style = "plain" } }
  for _, tab in ipairs(TABS) do
    if has_content(tab) then
      first_tab = first_tab or tab
      tabs[#tabs + 1] = { button = { text = game_strings.resolve(tab), emits = EVENT }, widget = { grow = 1 },
        option = { does = "tab", name = tab } }
    end
  end
  local root = world.api.spawn(nil, { transform = {}, ["shoal.options"] = { tab = first_tab },
    [widget_tree.component_name("panel")] = { modal = true, gap = 14 * ui.size / 22 },
    [widget_tree.component_name("widget")] = { width = get_panel_width(), layer = 100, anchor = "top",
      margin = compute_top(height) } })
  widget_tree.spawn(root, { label = { text = game_strings.resolve "options", style = "title" } })
  widget_tree.spawn(root, tabs)
  local body = widget_tree.spawn(root, { panel = { style = "plain" } })
  local back = game_strings.resolve "back"
  widget_tree.spawn(root, { button = { text = back, emits = EVENT, cancel = true }, option = { does = "close" } })
  root:set("shoal.options", { body = body })
  widget_tree.spawn(body, create_page(first_tab, false))
  return root
end

-- --- button actions

local function find_root(e)
  while e and not e:has("shoal.options") do
    e = e:parent()
  end
  return e
end

local ACTIONS = {}

function ACTIONS.tab(root, option)
  root["shoal.options"].tab, root["shoal.options"].asks = option.name, false
  fill_body(root)
end

function ACTIONS.close(root)
  input.api.listen(false)
  root:destroy()
  if event.by_name[CLOSED].on_demand and C.world_find_event(W, CLOSED) ~= nil then -- true if a system handles the event
    world.api.emit(CLOSED, {})
  end
end

local function ask_reset(root, asks)
  root["shoal.options"].asks = asks
  fill_body(root)
end

function ACTIONS.ask_reset(root)
  ask_reset(root, true)
end

function ACTIONS.keep_keys(root)
  ask_reset(root, false)
end

function ACTIONS.reset(root)
  input.api.reset()
  ask_reset(root, false)
end

function ACTIONS.key(_, option)
  input.api.listen(option.name, option.part)
end

function ACTIONS.fullscreen(_, _, v)
  abi.requests.fullscreen = v ~= 0 and 1 or -1
end

function ACTIONS.vsync(_, _, v)
  abi.requests.vsync = v ~= 0 and 1 or -1
end

function ACTIONS.scale(_, _, v)
  abi.requests.scale = v
end

local function handle_events(ev)
  local has_players = state.declares_players() -- only then does the event have the fields `player` and `text`
  for i = 1, ev.count do
    local e = ev.entity[i]
    local option = e:alive() and e:has("shoal.option") and e["shoal.option"]
    local root = option and find_root(e)
    if root and ACTIONS[option.does] then
      ACTIONS[option.does](root, option, ev.value[i])
    elseif e:alive() then
      keyboard.handle_press(e, has_players and ev.player[i] or 0, has_players and ev.text[i] or "")
    end
  end
end

-- --- display

local function set_if_changed(e, kind, field, v)
  local component = e[widget_tree.component_name(kind)]
  if component[field] ~= v then
    component[field] = v
  end
end

-- Estimates the number of characters that fit into a key button. Systems cannot measure text outside of rendering.
local function estimate_key_characters()
  local text_scale = get_text_scale()
  local button_width = (get_panel_width() - 64 * text_scale) / 3
  return math.floor((button_width / text_scale - 28) / 10.2)
end

-- Joins labels of keys. Replaces the labels that do not fit with "…".
local function format_keys(labels)
  local max_length, translations, out, count = estimate_key_characters(), {}, {}, #labels
  for i, label in ipairs(labels) do
    translations[i] = game_strings.translate_label(label)
  end
  local function is_too_long()
    local rest = count < #labels and 1 or 0
    local text = table.concat(translations, ", ", 1, count) .. (rest > 0 and ", …" or "")
    return utf8.len(text) > max_length or count + rest > game_strings.MAX_LISTED
  end
  while count > 1 and is_too_long() do
    count = count - 1
  end
  for i = 1, count do
    out[i] = game_strings.get_label(labels[i])
  end
  out[count + 1] = count < #labels and "…" or nil
  return game_strings.list(out)
end

-- Returns true if the widget has the focus. In a game with players, each machine has its own focus; there, returns true
-- for the widget that received the focus most recently on any machine.
local function has_focus(e)
  return C.ui_had_focus(W, handle.get_id(e))
end

-- Updates the text and the style of a key button.
local function show_key(e, option, conflicts)
  local action, part = input.api.listen()
  if action == option.name and part == option.part and has_focus(e) then
    set_if_changed(e, "button", "text", game_strings.resolve "press")
    set_if_changed(e, "button", "style", "")
    return
  end
  local labels, has_conflict = {}, false
  local device = input.api.device()
  for _, name in ipairs(input.api.bindings(option.name, input.actions[option.name].is_axis and option.part or nil)) do
    if (name:find("^pad") ~= nil) == option.pad then
      labels[#labels + 1] = input.api.label(name, device ~= "keyboard" and device or "pad")
      has_conflict = has_conflict or conflicts[name] ~= nil
    end
  end
  set_if_changed(e, "button", "text", #labels > 0 and format_keys(labels) or "–")
  set_if_changed(e, "button", "style", has_conflict and "danger" or "")
end

-- Opens a tab when its button gets the focus, and updates the style of the button.
local function show_tab(e, option)
  local root = find_root(e)
  if has_focus(e) and option.name ~= root["shoal.options"].tab then
    ACTIONS.tab(root, option)
  end
  set_if_changed(e, "button", "style", option.name == root["shoal.options"].tab and "" or "dim")
end

-- Returns the listed actions that share a binding, by binding.
local function list_conflicts()
  local out = {}
  for _, conflict in ipairs(input.api.conflicts()) do
    local names = {}
    for _, name in ipairs(conflict.actions) do
      names[#names + 1] = not input.actions[name].is_hidden and name or nil
    end
    out[conflict.binding] = #names > 1 and names or nil
  end
  return out
end

-- Returns the first binding of a key button that another action shares; nil if no binding of the button is shared.
local function find_conflict(option, conflicts)
  for _, name in ipairs(input.api.bindings(option.name, input.actions[option.name].is_axis and option.part or nil)) do
    if (name:find("^pad") ~= nil) == option.pad and conflicts[name] then
      return name
    end
  end
end

-- Returns a message about the conflict of the key button that has the focus, or else about any conflict.
local function format_conflict(conflicts, focused)
  local binding = focused and find_conflict(focused, conflicts) or sorted_keys(conflicts)[1]
  if not binding then
    return nil
  end
  local titles = {}
  for i, name in ipairs(conflicts[binding]) do
    titles[i] = game_strings.title("actions", name, "axis")
  end
  local key = game_strings.get_label(input.api.label(binding))
  return game_strings.resolve("used_by", { key = key, actions = game_strings.list(titles) })
end

-- Shows how to bind a key, or a conflict between keys.
local function show_hint(label, conflicts, focused)
  local listens = input.api.listen() ~= nil
  local conflict = not listens and format_conflict(conflicts, focused)
  set_if_changed(label, "label", "text", listens and game_strings.resolve "press_hint" or conflict or " ")
  set_if_changed(label, "label", "style", conflict and "danger" or "dim")
end

local function show_values(q)
  if q.count == 0 then
    return
  end
  local conflicts = input.can_choose and list_conflicts() or {}
  local focused -- the key button that has the focus
  for i = 1, q.count do
    local e = q.entity[i]
    local option = e["shoal.option"]
    if option.does == "key" and input.actions[option.name] then
      show_key(e, option, conflicts)
      focused = has_focus(e) and option or focused
    elseif option.does == "hint" then -- hints are spawned after the key buttons, so `focused` is already set
      show_hint(e, conflicts, focused)
    elseif option.does == "tab" then
      show_tab(e, option)
    elseif option.does == "fullscreen" then
      set_if_changed(e, "checkbox", "value", abi.input.window.fullscreen ~= 0)
    elseif option.does == "vsync" then
      set_if_changed(e, "checkbox", "value", abi.input.tearing == 0)
    elseif option.does == "scale" then
      set_if_changed(e, "list", "selected", abi.input.scale + 1)
    end
  end
  for root in world.api.each("shoal.options") do
    if keyboard.is_keyboard(root) then
      keyboard.show_text(root)
    end
  end
end

function M.add_system()
  system.add("shoal.options", { phase = "input", priority = -2 ^ 30, query = { "shoal.option" },
    update = phases.exempt(show_values), on = { [EVENT] = phases.exempt(handle_events) } },
    { file = "[shoal]/kit/options.lua", text = "" })
end

return M
