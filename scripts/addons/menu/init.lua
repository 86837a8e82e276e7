-- Builds menus and text for assemblages.lua.
local M = {}

M.demo_after = 15 -- seconds without input on a title screen before the demo starts

-- Returns a child with a button. `emits`: name of its event; `cancel`: true if Escape presses the button.
function M.button(text, emits, cancel) return { button = { text = text, emits = emits, cancel = cancel } } end

-- Returns the assemblage of a menu. `options` lists the children and may contain the fields `heading` (a menu with a
-- heading is modal), `width`, `layer` and `style` of the panel, and `components`, which are added to the panel's own.
function M.panel(options)
  local heading, components, children = options.heading, {}, {}
  for name, values in pairs(options.components or {}) do components[name] = values end
  components.panel = { modal = heading ~= nil, style = options.style }
  components.widget = { width = options.width or 340, layer = options.layer or 5 }
  if heading then children[1] = { label = { text = heading, style = "title", align = "centre" } } end
  for _, child in ipairs(options) do children[#children + 1] = child end
  return { components = components, children = children }
end

-- Returns the assemblage of a menu whose buttons ignore input for its first second (systems/settle.lua). `component`:
-- the name under which the game knows `settling`, by default "menu.settling".
function M.settling(menu, component)
  menu.components[component or "menu.settling"] = {}
  for _, child in ipairs(menu.children) do
    if child.button then child.widget = { disabled = true } end
  end
  return menu
end

-- Returns the row of the events `go` that a game follows: the last row that begins a game or, if no row does, the last
-- row. An event of the tick in which a demo ends, such as a death, must not end the new game.
function M.choose_go(ev)
  local row = ev.count
  for i = 1, ev.count do row = ev.begins[i] and i or row end
  return row
end

-- Returns the fields of a centred text in the bold font, with `values` added.
function M.text(size, values)
  local out = { size = size, font = "fonts/ui-bold.ttf", align = "center" }
  for field, v in pairs(values or {}) do out[field] = v end
  return out
end

-- Splits "go_x-" into the action and the part of an axis: "go_x", "negative".
local PARTS = { ["-"] = "negative", ["+"] = "positive" }
local function split_control(control)
  local action, sign = control:match "^(.-)([+-]?)$"
  return action, PARTS[sign]
end

-- Returns the names of an action's bindings on the device in use, such as "up" and "w". `is_pad`: true if that device
-- is a pad.
local function list_bindings(control, player, is_pad)
  local action, part = split_control(control)
  local out = {}
  for _, binding in ipairs(input.bindings(action, part)) do
    local device, number = binding:match "^(%a+)(%d*):"
    local is_players = not player or tonumber(number) == player or number == "" and (device == "pad" or player == 1)
    if is_players and (device == "pad") == is_pad then out[#out + 1] = binding end
  end
  return out
end

local ARROWS = { up = true, down = true, left = true, right = true }

-- Returns the kind that all bindings have in common, "arrows", "dpad" or "stick", which is also the key of its name in
-- strings/; nil if the bindings have different kinds.
local function find_kind(bindings)
  local kind
  for i, binding in ipairs(bindings) do
    local name = binding:match ":(.*)$"
    local found = binding:find "^key" and ARROWS[name] and "arrows" or name:find "^dp" and "dpad"
      or name:find "^left[xy]" and "stick"
    if not found or i > 1 and found ~= kind then return nil end
    kind = found
  end
  return kind
end

-- Returns the name of a set of bindings, one for each control: "WASD", "arrows", "Left Stick", or the names separated
-- by commas.
local function name_set(bindings, device)
  local kind = #bindings > 1 and find_kind(bindings)
  if kind then return tr(kind) end
  local labels, are_letters = {}, true
  for i, binding in ipairs(bindings) do
    labels[i] = input.label(binding, device)
    are_letters = are_letters and utf8.len(labels[i]) == 1
  end
  return table.concat(labels, not are_letters and ", " or #labels > 2 and "" or " ")
end

-- Returns the names of the controls that a player uses for one or several actions, as the player has bound them:
-- name_control { "go_y-", "go_x-", "go_y+", "go_x+" } returns "WASD or arrows", and "Left Stick" while a pad is in use.
-- "go_x-" is the negative part of the axis "go_x". Returns at most two alternatives. `player`: player whose device is
-- used, in games for several players.
function M.name_control(controls, player)
  local device, sets, names = input.device(player), {}, {}
  local is_pad = device ~= "keyboard"
  for i, control in ipairs(controls) do
    local axis = is_pad and split_control(control)
    local stick = axis and list_bindings(axis, player, true)[1]
    if stick and stick:find "[xy]$" then return find_kind { stick } and tr "stick" or input.label(stick, device) end
    for k, binding in ipairs(list_bindings(control, player, is_pad)) do
      sets[k] = sets[k] or {}
      if #sets[k] == i - 1 then sets[k][i] = binding end
    end
  end
  for _, set in ipairs(sets) do
    if #set == #controls then names[#names + 1] = name_set(set, is_pad and device or nil) end
  end
  return names[2] and tr("either", { a = names[1], b = names[2] }) or names[1]
    or input.prompt((split_control(controls[1])), player)
end

-- Returns a line of text with the keys that rewind the game and save a clip; "" in a match, which has neither. Do not
-- call it in a game whose game.lua switches them off.
function M.name_history_keys()
  local kind = input.device()
  if players.in_match() then return "" end
  if kind == "keyboard" then return tr("history", { rewind = "F9", clip = "F12" }) end
  return tr("history_pad", { rewind = input.label("pad:back", kind) .. " + " .. input.label("pad:lb", kind) })
end

-- Returns the strength of a flash, from 0 to 1, as far as the player permits flashes. For render systems.
function M.flash(strength) return strength * settings.flashes end

local function find_player(number)
  for _, player in ipairs(players.list()) do
    if player.number == number then return player end
  end
end

-- Returns true if the player uses this machine. For render systems.
function M.is_local(number)
  local player = find_player(number)
  return player ~= nil and player.is_local
end

-- In a match, returns the name of a player, with at most 12 characters; otherwise nil.
function M.name_player(number)
  local player = players.in_match() and find_player(number)
  if not player then return nil end
  local name = player.name
  -- A label takes a text that begins with "@" for a reference to a string, so a space is put in front.
  if name:sub(1, 1) == "@" then name = " " .. name end
  return utf8.len(name) <= 12 and name or name:sub(1, utf8.offset(name, 12) - 1) .. "…"
end

return M
