-- Input actions: input.lua maps names to keys, buttons and axes; systems use only these names. Values are read from the
-- tick's input sample.
--
-- Bindings chosen by the player are stored as JSON in the singleton shoal.input, so that they are rewound, saved and
-- replayed, and in the settings file (settings.lua). The singleton exists in games that have input.lua, and
-- settings.lua or an id in game.lua. ui/actions.c parses the JSON and evaluates actions; this file keeps a copy
-- of the current bindings.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local game_strings = need("kit/game_strings")
local ui = need("kit/ui")
local components = need("schema/component")
local schema = need("schema/schema")
local system = need("systems/system")
local event = need("world/event")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.Action
---@field list ffi.cdata*[] current bindings (input_binding_t) of the part `axis`, or of an action that is not an axis
---@field negative ffi.cdata*[]
---@field positive ffi.cdata*[]
---@field is_axis boolean
---@field is_hidden boolean true if the options screen does not list the action
---@field is_held boolean declared with `held`: if the setting press_to_hold is set, a press keeps the action down
---@field presses string|false full name of the event whose button the action presses
---@field at engine.At location of the input.lua that declares the action
---@field declared table<string, string[]> part → names of the bindings in input.lua
---@field names table<string, string[]> part → names of the current bindings
---@field position number position of the declaration in input.lua; the actions of add-ons follow the game's actions

---@class engine.input
---@field actions table<string, engine.Action>
---@field api shoal.Input
---@field can_choose boolean true if players can choose bindings
local M = { actions = {}, can_choose = false }
local PARTS = { axis = "list", negative = "negative", positive = "positive" }
local PART_NAMES = { "axis", "negative", "positive" } -- same order as C's part numbers, which start at 0
local SINGLE = "shoal.input"
local ADDON_OFFSET = 2 ^ 32
local MAX_PLAYERS = 32 -- equal to PLAYER_MAX in platform/player_input.h
local MAX_PLAYER_ACTIONS = 64 -- equal to PLAYER_MAX_ACTIONS in platform/player_input.h
local MAX_HELD_ACTIONS = 8 -- equal to the number of bits in `toggled` of platform/input.h
local MAX_KEYS = 32 -- maximum number of bindings that a player can choose for one part of an action
local IDLE, WAITING_FOR_RELEASE, LISTENING, FINISHED = 0, 1, 2, 3 -- values of `stage` in shoal.input
local name_bytes, pressed_binding = ffi.new("char[64]"), ffi.new("input_binding_t")
local no_input = ffi.new("input_state_t")
local value_out, previous_out, count_out = ffi.new("float[1]"), ffi.new("float[1]"), ffi.new("uint32_t[1]")
local pressed_out, released_out = ffi.new("bool[1]"), ffi.new("bool[1]")

-- --- input.lua

---@param text any
---@return ffi.cdata*? binding
---@return string problem
local function parse_binding(text)
  local out = ffi.new("input_binding_t")
  if type(text) == "string" and C.input_parse(text, out) then
    return out, ""
  end
  local suggestion = type(text) == "string" and native.input_suggest_binding(text)
  return nil, string.format("%s is not a key, button or axis (key:up, pad:a, pad:leftx, mouse:left, wheel:up)%s",
    report.show(text), suggestion and ": did you mean " .. suggestion .. "?" or "")
end

local function get_name(binding)
  return ffi.string(C.input_name(binding, name_bytes))
end

-- Parses a binding or a list of bindings. Returns a list of input_binding_t, and a list of their names.
local function read_bindings(list, fail)
  local out, names = {}, {}
  for i, text in ipairs(type(list) == "table" and list or { list }) do
    local binding, problem = parse_binding(text)
    out[i] = binding or fail(text, "%s", problem)
    names[i] = get_name(out[i])
  end
  return out, names
end

local function declare_bindings(name, action)
  for part, field in ipairs(PART_NAMES) do
    local list = action[PARTS[field]]
    local bindings = ffi.new("input_binding_t[?]", math.max(#list, 1))
    for i, binding in ipairs(list) do
      bindings[i - 1] = binding
    end
    C.ui_declare_action_bindings(W, name, part - 1, bindings, #list)
  end
end

local function add_action(name, action)
  M.actions[name] = action
  ui.bind(name, action.list)
  declare_bindings(name, action)
  C.ui_declare_action_button(W, name, action.presses or "")
  C.ui_declare_held_action(W, name, action.is_held)
end

-- Returns the offset of an action's declaration in the text. The options list actions in the order of these offsets,
-- because a table has no order. `text`: nil in a package without source code.
local function find_position(text, name, addon)
  local offset = (text or ""):find("%f[%w_]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]") or 0
  return addon and offset + ADDON_OFFSET or offset
end

local AXIS_FIELDS = { axis = true, negative = true, positive = true, hidden = true }
local LIST_FIELDS = { hidden = true, presses = true, held = true }

-- Checks the named fields of an action's declaration.
local function check_fields(list, is_axis, fail)
  local allowed = is_axis and AXIS_FIELDS or LIST_FIELDS
  for field, v in pairs(type(list) == "table" and list or {}) do
    if (field == "hidden" or field == "held" and not is_axis) and type(v) ~= "boolean" then
      fail(field, "%s must be a boolean, got %s", field, report.describe(v))
    elseif field == "presses" and not is_axis and type(v) ~= "string" then
      fail(field, "presses must be the name of an event, got %s", report.describe(v))
    elseif type(field) ~= "number" and not allowed[field] then
      fail(field, "%s has no field %s%s; available: %s", is_axis and "an axis" or "a list of bindings",
        report.show(field), report.suggest(field, allowed), report.join_names(allowed))
    end
  end
end

-- Reads the declaration of input.lua of the game or an add-on. The game is read last: an action named "menu.pause"
-- replaces the add-on's action.
---@param declaration any the value that input.lua returned
---@param at engine.At
---@param addon engine.Addon|false
function M.read(declaration, at, addon)
  if type(declaration) ~= "table" then
    report.fail { message = "input.lua must return a table: return { fire = { \"key:space\", \"pad:a\" } }",
      file = at.file, line = 1, piece = "input.lua" }
  end
  for name, list in pairs(declaration) do
    local function fail(text, message, ...)
      report.fail { message = report.show(name) .. ": " .. string.format(message, ...), file = at.file,
        line = report.find_line(at.text, name, text), piece = "action " .. report.show(name) }
    end
    if type(name) ~= "string" then
      report.fail { message = "every action must have a name, got the key " .. report.show(name)
        .. ": return { fire = { \"key:space\" } }", file = at.file,
        line = 1, piece = "input.lua" }
    end
    local is_axis = type(list) == "table" and #list == 0 and next(list) ~= nil
    local has_fields = type(list) == "table"
    local action = { is_axis = is_axis, is_hidden = has_fields and list.hidden == true,
      is_held = has_fields and list.held == true, declared = {}, names = {},
      position = find_position(at.text, name, addon), presses = false, at = at }
    check_fields(list, is_axis, fail)
    if type(list) == "table" and not is_axis and list.presses then
      action.presses = scope.add_prefix("event", list.presses, addon)
    end
    for part, field in pairs(PARTS) do
      local binding_list = is_axis and list[part] or not is_axis and part == "axis" and list or {}
      action[field], action.declared[part] = read_bindings(binding_list, fail)
      action.names[part] = action.declared[part]
    end
    scope.declare(addon, "action", name)
    add_action(scope.add_prefix("action", name, addon), action)
  end
end

-- Raises an error if a game that declares players has more actions than a player's input can contain.
---@param read_source fun(file: string): string
function M.check_players(read_source)
  local names = sorted_keys(M.actions)
  if state.declares_players() and #names > MAX_PLAYER_ACTIONS then
    local name = names[MAX_PLAYER_ACTIONS + 1]
    local has_file = native.has_source("input.lua")
    report.fail { message = string.format("a game with players can have at most %d actions, got %d: remove %s, or "
      .. "combine keys into an axis", MAX_PLAYER_ACTIONS, #names, name), file = has_file and "input.lua" or "game.lua",
      line = has_file and report.find_line(read_source("input.lua"), name) or 1, piece = "input.lua" }
  end
end

-- Raises an error if more actions are declared with `held` than a sample has bits for.
function M.check_held()
  local count = 0
  for _, name in ipairs(sorted_keys(M.actions)) do
    local action = M.actions[name]
    count = count + (action.is_held and 1 or 0)
    if count > MAX_HELD_ACTIONS then
      report.fail { message = string.format("%s: at most %d actions can have held = true: remove it from one of them",
        report.show(name), MAX_HELD_ACTIONS), file = action.at.file,
        line = report.find_line(action.at.text, name, "held"), piece = "action " .. report.show(name) }
    end
  end
end

-- Raises an error if an action presses the buttons of an event that the game does not declare.
function M.check_events()
  for _, name in ipairs(sorted_keys(M.actions)) do
    local action = M.actions[name]
    if action.presses and not event.by_name[action.presses] then
      report.fail { message = string.format("%s: presses: unknown event %s%s: declare it in events.lua",
        report.show(name), report.show(action.presses), event.hint(action.presses)), file = action.at.file,
        line = report.find_line(action.at.text, name, "presses"), piece = "action " .. report.show(name) }
    end
  end
end

-- --- bindings chosen by the player

-- Declares the singleton shoal.input. Returns its schema; nil if the game has no actions or settings, or has players.
---@param has_settings boolean true if the game has settings
---@return engine.Schema?
function M.declare(has_settings)
  if next(M.actions) == nil or not has_settings then
    return nil
  end
  M.can_choose = true
  if state.declares_players() then -- in a game with players, bindings belong to the machine, not to the world
    return nil
  end
  local declared_schema = schema.define(SINGLE, "single",
    { { "bindings", "string" }, { "action", "string" }, { "part", "string" },
    { "stage", "i32" } })
  components.add_declared(declared_schema).builtin = true
  return declared_schema
end

local MACHINE_BINDINGS = 0 -- equal to UI_MACHINE_BINDINGS in C

-- The data of shoal.input in a game that declares players: such a game has no singleton, because bindings belong to the
-- machine. `action` and `part` are lost when the code is reloaded, which ends a rebinding.
local listened = { action = "", part = "" }
local machine_row = setmetatable({}, {
  __index = function(_, name)
    if name == "bindings" then
      return ffi.string(C.ui_machine_text(W, MACHINE_BINDINGS))
    end
    return name == "stage" and C.ui_rebinding_stage(W) or listened[name]
  end,
  __newindex = function(_, name, v)
    if name == "bindings" then
      C.ui_set_machine_text(W, MACHINE_BINDINGS, v)
    elseif name == "stage" then
      C.ui_set_rebinding_stage(W, v)
    else
      listened[name] = v
    end
  end,
})

-- Returns the row with the chosen bindings: the singleton's row or, in a game that declares players, `machine_row`;
-- nil if players cannot choose bindings.
local function get_single()
  if not M.can_choose then
    return nil
  end
  return state.declares_players() and machine_row or components.single[SINGLE]
end

local function is_list(v)
  return type(v) == "table" and (v[1] ~= nil or next(v) == nil)
end

-- Returns the stored bindings of an action as lists by part. Only parts that differ from input.lua are stored; an
-- action that is not an axis is stored as a list.
local function split_parts(v)
  return is_list(v) and { axis = v } or type(v) == "table" and v or {}
end

-- Parses a binding or a list of bindings. Returns their names and the bindings, or nil and a message if a binding is
-- invalid or there are more than MAX_KEYS.
local function parse_list(list)
  local names, bindings = {}, {}
  if type(list) == "table" and #list > MAX_KEYS then
    return nil, string.format("too many keys: %d (at most %d)", #list, MAX_KEYS)
  end
  for i, text in ipairs(is_list(list) and list or { list }) do
    local binding, problem = parse_binding(text)
    if not binding then
      return nil, problem
    end
    names[i], bindings[i] = get_name(binding), binding
  end
  return names, bindings
end

local applied_json =
  "" ---@type string|false the JSON from which M.actions was last updated; false while a change is not yet written

local function decode_object(encoded)
  local ok, t = native.json_decode(encoded)
  return ok and type(t) == "table" and t or {}
end

local function apply_bindings(encoded)
  for name, action in pairs(M.actions) do
    for part_number, part in ipairs(PART_NAMES) do
      local list = C.ui_action_bindings(W, name, part_number - 1, count_out)
      local names, bindings = {}, {}
      for i = 1, count_out[0] do
        bindings[i] = ffi.new("input_binding_t", list[i - 1])
        names[i] = get_name(bindings[i])
      end
      action.names[part], action[PARTS[part]] = names, bindings
    end
    ui.bind(name, action.list)
  end
  applied_json = encoded
end

local stage = IDLE

-- Updates M.actions if the bindings in the world have changed, for example after a rewind.
local function refresh_bindings()
  local row = get_single()
  if row then
    local encoded = row.bindings
    stage = row.stage
    if encoded ~= applied_json then
      apply_bindings(encoded)
    end
  end
end

-- Returns true if an action uses this key, for any player.
---@param key string name of the key, such as "t"
---@return boolean
function M.uses_key(key)
  refresh_bindings()
  for _, action in pairs(M.actions) do -- the order does not matter
    for _, names in pairs(action.names) do
      for _, name in ipairs(names) do
        if name:match("^key%d?:(.*)$") == key then
          return true
        end
      end
    end
  end
  return false
end

local function are_lists_equal(a, b)
  if #a ~= #b then
    return false
  end
  for i = 1, #a do
    if a[i] ~= b[i] then
      return false
    end
  end
  return true
end

-- Writes the bindings of M.actions to the singleton. Bindings in the singleton for actions that input.lua lacks are
-- kept. A caller that changes M.actions must set `applied_json` to false first, so that `refresh_bindings` undoes the
-- change if the singleton cannot be written.
local function write_bindings()
  local out, previous = {}, get_single().bindings
  for name, v in pairs(previous ~= "" and decode_object(previous) or {}) do
    if not M.actions[name] then
      out[name] = v
    end
  end
  for name, action in pairs(M.actions) do
    local parts = {}
    for part in pairs(PARTS) do
      parts[part] = not are_lists_equal(action.names[part], action.declared[part]) and action.names[part] or nil
    end
    if next(parts) ~= nil then
      out[name] = action.is_axis and parts or parts.axis
    end
  end
  local encoded = next(out) ~= nil and json.encode(out) or ""
  get_single().bindings = encoded
  apply_bindings(encoded)
end

-- Returns the bindings chosen by the player, as stored in the settings file; nil if none is chosen or can be chosen.
---@return table? chosen bindings by action
function M.get_chosen_bindings()
  local row = get_single()
  return row and row.bindings ~= "" and decode_object(row.bindings) or nil
end

---@return string text the chosen bindings as JSON, "" if all equal the bindings in input.lua
function M.format_chosen_bindings()
  local row = get_single()
  return row and row.bindings or ""
end

-- Applies the bindings from the settings file. Invalid bindings are reported and ignored.
---@param chosen any
---@param log_message fun(format: string, ...: any)
function M.choose(chosen, log_message)
  if not get_single() or type(chosen) ~= "table" then
    return
  end
  if chosen[1] ~= nil then
    log_message("the bindings must be a table with action names as keys, got a list: using the bindings of input.lua")
    return
  end
  local out = {}
  for _, name in ipairs(sorted_keys(chosen)) do
    local action, valid_parts = M.actions[name], {}
    if action and type(chosen[name]) ~= "table" then
      log_message("the bindings of %s must be a list of keys, got %s: using the bindings of input.lua", name,
        report.describe(chosen[name]))
    end
    for part, list in pairs(action and split_parts(chosen[name]) or {}) do
      local names, problem = parse_list(list)
      if PARTS[part] and names then
        valid_parts[part] = names
      else
        log_message("the bindings of %s: %s: using the bindings of input.lua", name,
          names and "an axis has no field " .. part or problem)
      end
    end
    if not action then
      out[tostring(name)] = chosen[name]
    elseif next(valid_parts) ~= nil then
      out[name] = action.is_axis and valid_parts or valid_parts.axis
    end
  end
  get_single().bindings = next(out) ~= nil and json.encode(out) or ""
end

-- --- values

-- Returns the message for an unknown action.
---@param name any
---@return string
function M.describe_unknown(name)
  local label = report.show(name)
  local key = label:find(":", 1, true) and label or parse_binding("key:" .. label) and "key:" .. label
  return string.format("input.lua has no action %s%s%s%s", label, report.suggest(name, M.actions),
    next(M.actions) and "; available: " .. report.join_names(M.actions) or "",
    (key or not next(M.actions)) and string.format("; declare it, %s = \"%s\"",
      label:match("^%a[%w_]*$") or "jump", key or "key:space") or "")
end

local function find_action(name)
  name = scope.name("action", name)
  local action = M.actions[name]
  if not action then
    report.raise("%s", M.describe_unknown(name))
  end
  refresh_bindings()
  return action
end

-- Converts a player's number (from 1, or nil for any player) to the number in C: from 0, or -1 for any player.
local function check_player(player)
  if player == nil then
    return -1
  elseif type(player) == "number" and player % 1 == 0 and player >= 1 and player <= state.get_max_player() then
    return player - 1
  end
  return report.raise("the player must be a number from 1 to %d, or nil for any player, got %s",
    state.get_max_player(), report.describe(player))
end

-- Returns an action's values in this tick and in the previous one. Both are 0 while input.listen waits for a key.
local function get_values(name, player)
  name = scope.name("action", name)
  if not M.actions[name] then
    find_action(name)
  end
  C.ui_read_action(W, name, check_player(player), value_out, previous_out)
  return value_out[0], previous_out[0]
end

-- Returns two booleans: the action is down in this tick; it was down in the previous tick.
local function is_down(name, player)
  local value, previous = get_values(name, player)
  return math.abs(value) > 0.5, math.abs(previous) > 0.5
end

-- Returns whether the action was pressed in this tick, and whether it was released.
local function get_edges(name, player)
  if not state.declares_players() then
    local is_down_now, was_down = is_down(name, player)
    return is_down_now and not was_down, was_down and not is_down_now
  end
  name = scope.name("action", name)
  if not M.actions[name] then
    find_action(name)
  end
  C.ui_read_action_edges(W, name, check_player(player), pressed_out, released_out)
  return pressed_out[0], released_out[0]
end

-- Returns the index of a player whose pointer or movement is read.
---@param read string expression that reads it, for error messages: "input.mouse(player)"
---@param read_alone string expression for games without players: "input.mouse()"
local function check_pointer(player, read, read_alone)
  phases.check("input.mouse(player)")
  if not state.declares_players() then
    report.raise("input.mouse accepts a player only in games that declare players: use %s, or add "
      .. "multiplayer = { players = { 2, 8 } } to game.lua", read_alone)
  elseif not state.config.reads_pointers then
    report.raise("%s: the machines do not send the pointers, because no file of the game contains the name mouse: "
      .. "write %s in a file of the game", read, read)
  end
  return check_player(player)
end

-- Returns the position of a player's pointer in the world.
local function get_pointer(player)
  local input_of_player = abi.input.players.players[check_pointer(player, "input.mouse(player)", "input.mouse()")]
  return input_of_player.pointer_x, input_of_player.pointer_y
end

-- --- rebinding

local function check_part(action, name, part)
  part = part == nil and "axis" or part
  if not PARTS[part] or part ~= "axis" and not action.is_axis then
    report.raise("%s has no field %s%s%s", name, report.show(part), report.suggest(part, PARTS),
      action.is_axis and "; available: axis, negative, positive" or ": only an axis has negative and positive")
  end
  return part
end

local function check_can_change(caller)
  phases.check(caller == "listen" and "input.listen(action)" or "input." .. caller)
  if not get_single() then
    report.raise("input.%s: bindings cannot be saved without an id: add id = \"my_game\" to game.lua, or create "
      .. "settings.lua", caller)
  end
end

local function is_pad(binding)
  return binding.device == 2 or binding.device == 3 -- 2 is INPUT_PAD_BUTTON, 3 is INPUT_PAD_AXIS
end

local function is_shared(a, b)
  return a.device == b.device and a.code == b.code and a.sign == b.sign and (a.pad == b.pad or a.pad < 0 or b.pad < 0)
end

-- Returns a list of all bindings: { action, part, name, binding }.
local function list_bindings()
  local out = {}
  for _, name in ipairs(sorted_keys(M.actions)) do
    local action = M.actions[name]
    for _, part in ipairs(sorted_keys(PARTS)) do
      for i, binding in ipairs(action[PARTS[part]]) do
        out[#out + 1] = { action = name, part = part, name = action.names[part][i], binding = binding }
      end
    end
  end
  return out
end

-- Returns true if input.lua declares the binding.
local function is_declared(a)
  for _, name in ipairs(M.actions[a.action].declared[a.part]) do
    if name == a.name then
      return true
    end
  end
  return false
end

local function list_conflicts(action_name)
  local out, by_binding = {}, {}
  local list = list_bindings()
  for i, a in ipairs(list) do
    for k = i + 1, #list do
      local b = list[k]
      local is_relevant = action_name == nil or a.action == action_name or b.action == action_name
      if is_relevant and (a.action ~= b.action or a.part ~= b.part) and is_shared(a.binding, b.binding)
        and not (is_declared(a) and is_declared(b)) then
        if not by_binding[a.name] then
          by_binding[a.name] = { binding = a.name, actions = {}, has = {} }
          out[#out + 1] = by_binding[a.name]
        end
        for _, name in ipairs { a.action, b.action } do
          if not by_binding[a.name].has[name] then
            by_binding[a.name].has[name] = true
            table.insert(by_binding[a.name].actions, name)
          end
        end
      end
    end
  end
  for _, conflict in ipairs(out) do
    conflict.has = nil
    table.sort(conflict.actions)
  end
  table.sort(out, function(a, b) return a.binding < b.binding end)
  return out
end

-- Returns the sorted names of the actions in conflict with this one: actions that share a binding with this action,
-- unless input.lua declares the binding for both actions.
local function list_conflicting_actions(action_name)
  local added, out = {}, {}
  for _, conflict in ipairs(list_conflicts(action_name)) do
    for _, name in ipairs(conflict.actions) do
      if name ~= action_name and not added[name] then
        added[name] = true
        out[#out + 1] = name
      end
    end
  end
  table.sort(out)
  return out
end

-- Returns the names of an action's bindings after adding one. A key or mouse button replaces all keys and mouse
-- buttons; a pad button or axis replaces all pad buttons and axes.
local function add_binding(action, part, name, binding)
  local out, is_added = {}, false
  for i, bound in ipairs(action[PARTS[part]]) do
    if is_pad(bound) ~= is_pad(binding) then
      out[#out + 1] = action.names[part][i]
    elseif not is_added then
      out[#out + 1], is_added = name, true
    end
  end
  if not is_added then
    out[#out + 1] = name
  end
  return out
end

local function set_bindings(action, part, binding)
  local names, bindings = parse_list(binding)
  if not names then
    report.raise("input.bind: %s", bindings)
  end
  applied_json = false
  action.names[part] = type(binding) == "table" and names or add_binding(action, part, names[1], bindings[1])
  write_bindings()
end

-- Binds the pressed control (`pressed_binding`) to the action for which input.listen was called, or cancels if it is
-- Escape. For an axis action, the part `axis` accepts only a gamepad axis, and is bound to both of its directions.
local function bind_pressed(row, action, part)
  local is_axis = action and action.is_axis and part == "axis"
  local name = get_name(pressed_binding)
  if is_axis and name ~= "key:escape" then
    if pressed_binding.device ~= 3 then -- 3 is INPUT_PAD_AXIS
      return
    end
    pressed_binding.sign = 0
    name = get_name(pressed_binding)
  end
  if action and PARTS[part] and name ~= "key:escape" then
    set_bindings(action, part, name)
  end
  row.stage = FINISHED
end

-- Updates M.actions if bindings have changed, and continues a rebinding that input.listen has started. Called every
-- tick, and every frame while the game is paused, after the engine's systems in the phase `input`.
function M.step()
  refresh_bindings()
  if stage == IDLE then
    return
  end
  local row = get_single()
  local is_released = not C.input_find_pressed(no_input, abi.input, pressed_binding)
  if stage == WAITING_FOR_RELEASE and is_released then
    row.stage = LISTENING
  elseif stage == FINISHED and is_released then
    row.stage, row.action, row.part = IDLE, "", ""
  elseif stage == LISTENING and C.input_find_pressed(abi.input_before, abi.input, pressed_binding) then
    bind_pressed(row, M.actions[row.action], row.part)
  end
end

-- --- prompts

local KINDS = { [0] = "pad", "xbox", "playstation", "nintendo" } -- names by input_pad_kind_t

-- Returns the number of the pad that a player uses, from 1; 0 for keyboard and mouse.
local function get_pad_in_use(player)
  local pad_in_use = abi.input.used
  if player < 0 then
    return pad_in_use
  elseif pad_in_use == player + 1 or player > 0 and abi.input.pad_connected[player] ~= 0 then
    return player + 1
  end
  return 0
end

-- Returns the player's first binding on the device in use or, if no binding is on that device, the player's first
-- binding; nil if the player has none. `pad`: number of the pad in use, 0 for keyboard and mouse; `player`: from 0, or
-- -1 for any player.
local function choose_binding(list, pad, player)
  local best
  for _, binding in ipairs(list) do
    local is_usable = player < 0 or binding.pad == player or binding.pad < 0 and (player == 0 or is_pad(binding))
    if is_usable and (not best or is_pad(binding) == (pad > 0) and is_pad(best) ~= (pad > 0)) then
      best = binding
    end
  end
  return best
end

local function format_label(list, pad, player, by_layout)
  local best, kind = choose_binding(list, pad, player), pad > 0 and abi.input.pad_kinds[pad - 1] or 0
  local label = best and ffi.string(C.input_label(best, kind, by_layout, name_bytes)) or ""
  return by_layout and game_strings.translate_label(label) or label
end

-- Returns a binding's label as the markup of a keycap or pad button: MARKUP_CAP_BEGIN, "k" or "p", the label,
-- MARKUP_CAP_END (text/markup.h); "" if there is no binding.
local function format_cap(list, pad, player)
  local best = choose_binding(list, pad, player)
  return best and "\1" .. (is_pad(best) and "p" or "k") .. format_label(list, pad, player, false) .. "\2" or ""
end

-- Returns the prompt of an action, for example "A / D" for an axis on two keys. `format_binding`: the function
-- `format_label` or `format_cap`.
local function format_prompt(action, player, format_binding)
  local pad = get_pad_in_use(player)
  local has_stick = false
  for _, binding in ipairs(action.list) do
    has_stick = has_stick or pad > 0 and is_pad(binding)
  end
  local by_layout = state.is_drawing()
  local negative_label, positive_label = format_binding(action.negative, pad, player, by_layout),
    format_binding(action.positive, pad, player, by_layout)
  if has_stick or negative_label .. positive_label == "" then
    return format_binding(action.list, pad, player, by_layout)
  end
  return negative_label .. (negative_label ~= "" and positive_label ~= "" and " / " or "") .. positive_label
end

-- `has_prompts`: true if a file of the game contains [prompt=…], or if the game has files in strings/, which may
-- contain it. `has_player_prompts`: true if a file contains a prompt with a player's number, such as [prompt=jump 2].
local has_prompts, has_player_prompts = false, false
local prompt_state = "" -- state of the devices and bindings at the last update of the prompts

local function find_prompts()
  for _, file in ipairs(native.game_files()) do
    local text = native.source(file) or "" -- native.source returns nil for images and sounds
    local has_prompt = text:find("[prompt=", 1, true) ~= nil
    has_prompts = has_prompts or has_prompt or file:find("^strings/") ~= nil
    -- Lua patterns are slow, so this one is tried only if the file has a prompt.
    has_player_prompts = has_player_prompts or has_prompt and text:find("%[prompt=[^%]]- %d%]") ~= nil
  end
  return has_prompts
end

-- Sets the text that replaces [prompt=jump], if the device in use, the kinds of the pads or the bindings have changed.
local function show_prompts()
  local input_state = abi.input
  local new_state = string.format("%d %d %d %d %d %s", input_state.used, input_state.pad_kinds[0],
    input_state.pad_kinds[1], input_state.pad_kinds[2],
    input_state.pad_kinds[3], M.format_chosen_bindings())
  if new_state == prompt_state then
    return
  end
  prompt_state = new_state
  for name, action in pairs(M.actions) do
    for player = -1, has_player_prompts and 3 or -1 do
      local prompt = format_prompt(action, player, format_cap)
      C.ui_set_prompt(W, player < 0 and name or name .. " " .. player + 1, prompt ~= "" and prompt or "–")
    end
  end
end

local function check_number(name, v, max)
  if type(v) ~= "number" or not (v >= 0 and v <= max) then
    report.raise("input.rumble: %s must be a number from 0 to %d, got %s", name, max, report.describe(v))
  end
  return v
end

-- Adds the system that updates the keys of widgets and the prompts in text. Adds nothing unless players can choose
-- bindings of ui_* actions, or a file of the game may contain prompts. The system runs before the widgets' step
-- (ui/ui.c).
function M.add_system()
  local binds_widgets = false
  for name in pairs(M.actions) do
    binds_widgets = binds_widgets or name:find("^ui_") ~= nil and M.can_choose
  end
  if binds_widgets or next(M.actions) ~= nil and find_prompts() then
    system.add("shoal.bindings", { phase = "input", priority = -100001, update = function()
      refresh_bindings()
      if has_prompts then
        show_prompts()
      end
    end }, { file = "[shoal]", text = "" })
  end
end

local MOTIONS = { dx = "mouse_dx", dy = "mouse_dy" }
local PLAYER_MOTIONS = { dx = "motion_x", dy = "motion_y" }
local MOTION_UNITS = 64 -- equal to PLAYER_MOTION_UNITS in platform/player_input.h

-- Creates input.mouse[player], whose fields `dx` and `dy` are the movement of the player's mouse in this tick.
local function create_player_mouse(player)
  local out = setmetatable({}, {
    __index = function(_, name)
      local index = check_pointer(player, "input.mouse[player].dx", "input.mouse.dx")
      if not PLAYER_MOTIONS[name] then
        report.raise("input.mouse[%d] has no %s%s; available: dx, dy; for the position, call input.mouse(%d)", player,
          report.show(name), report.suggest(name, PLAYER_MOTIONS), player)
      end
      return abi.input[PLAYER_MOTIONS[name]][index] / MOTION_UNITS
    end,
    __newindex = function(_, name)
      report.raise("input.mouse[%d].%s cannot be assigned: it is the mouse's state", player, report.show(name))
    end,
    __metatable = false,
  })
  report.tables[out] = string.format("input.mouse[%d]", player)
  return out
end

local player_mice = {} ---@type table<integer, table> player's number → the object input.mouse[player]
for player = 1, MAX_PLAYERS do
  player_mice[player] = create_player_mouse(player)
end

-- input.mouse() returns the position of the mouse, and input.mouse(player) the position of a player's pointer.
-- input.mouse.dx and input.mouse.dy are the movement of the mouse since the previous tick; input.mouse[player] has the
-- same fields for a player's mouse.
local mouse = setmetatable({}, {
  __call = function(_, player)
    if player ~= nil then
      return get_pointer(player)
    end
    phases.check("input.mouse")
    return abi.input.mouse_x, abi.input.mouse_y
  end,
  __index = function(_, name)
    if type(name) == "number" then
      return player_mice[check_pointer(name, "input.mouse[player].dx", "input.mouse.dx") + 1]
    end
    phases.check("input.mouse")
    if not MOTIONS[name] then
      report.raise("input.mouse has no %s%s; available: dx, dy; for the position, call input.mouse()",
        report.show(name), report.suggest(name, MOTIONS))
    end
    return abi.input[MOTIONS[name]]
  end,
  __newindex = function(_, name)
    report.raise("input.mouse%s cannot be assigned: it is the mouse's state",
      type(name) == "number" and "[" .. name .. "]" or "." .. report.show(name))
  end,
  __metatable = false,
})
report.tables[mouse] = "input.mouse"

M.api = {
  down = function(name, player)
    phases.check("input.down")
    return (is_down(name, player))
  end,
  pressed = function(name, player)
    phases.check("input.pressed")
    return (get_edges(name, player))
  end,
  released = function(name, player)
    phases.check("input.released")
    local _, is_released = get_edges(name, player)
    return is_released
  end,
  axis = function(name, player)
    phases.check("input.axis")
    return (get_values(name, player))
  end,
  mouse = mouse,
  actions = function()
    return sorted_keys(M.actions)
  end,
  bindings = function(name, part)
    phases.check("input.bindings")
    local action = find_action(name)
    local out = {}
    for i, text in ipairs(action.names[check_part(action, name, part)]) do
      out[i] = text
    end
    return out
  end,
  bind = function(name, binding, part)
    check_can_change("bind")
    local action = find_action(name)
    name = scope.name("action", name)
    set_bindings(action, check_part(action, name, part), binding)
    return list_conflicting_actions(name)
  end,
  reset = function(name)
    check_can_change("reset")
    refresh_bindings()
    local selected = name == nil and M.actions or { find_action(name) }
    applied_json = false
    for _, action in pairs(selected) do
      for part in pairs(PARTS) do
        action.names[part] = action.declared[part]
      end
    end
    write_bindings()
  end,
  conflicts = function(name)
    phases.check("input.conflicts")
    refresh_bindings()
    if name ~= nil then
      find_action(name)
    end
    return list_conflicts(scope.name("action", name))
  end,
  listen = function(name, part)
    phases.check("input.listen")
    refresh_bindings()
    if name then
      check_can_change("listen")
      local row, action = get_single(), find_action(name)
      name = scope.name("action", name)
      row.action, row.part, row.stage = name, check_part(action, name, part), WAITING_FOR_RELEASE
    elseif name == false and get_single() then
      phases.check("input.listen(action)")
      get_single().stage = stage ~= IDLE and FINISHED or IDLE
    end
    local row = get_single()
    if row and (row.stage == WAITING_FOR_RELEASE or row.stage == LISTENING) then
      return row.action, row.part
    end
    return nil
  end,
  prompt = function(name, player)
    phases.check("input.prompt")
    local action = find_action(name)
    return format_prompt(action, check_player(player), format_label)
  end,
  label = function(name, kind)
    phases.check("input.label")
    local binding, problem = parse_binding(name)
    if not binding then
      report.raise("input.label: %s", problem)
    end
    for i = 0, 3 do
      if KINDS[i] == (kind or "pad") then
        local is_drawing = state.is_drawing()
        local label = ffi.string(C.input_label(binding, i, is_drawing, name_bytes))
        return is_drawing and game_strings.translate_label(label) or label
      end
    end
    return report.raise("input.label: unknown kind of pad %s; available: pad, xbox, playstation, nintendo",
      report.show(kind))
  end,
  device = function(player)
    phases.check("input.device")
    local pad = get_pad_in_use(check_player(player))
    return pad == 0 and "keyboard" or KINDS[abi.input.pad_kinds[pad - 1]] or "pad"
  end,
  pads = function()
    phases.check("input.pads")
    local out = {}
    for i = 0, 3 do
      if abi.input.pad_connected[i] ~= 0 then
        out[#out + 1] = { number = i + 1, kind = KINDS[abi.input.pad_kinds[i]] or "pad" }
      end
    end
    return out
  end,
  rumble = function(strength, seconds, player)
    phases.check("input.rumble")
    check_number("strength", strength, 1)
    check_number("seconds", seconds, 60)
    player = check_player(player)
    for pad = 0, 3 do
      if player < 0 or player == pad and not state.declares_players()
        or state.declares_players() and abi.player_status[player]["local"] == pad + 1 then
        abi.requests.rumbles[pad] = true
        abi.requests.rumble[pad][0], abi.requests.rumble[pad][1] = strength, seconds
      end
    end
  end,
}

return M
