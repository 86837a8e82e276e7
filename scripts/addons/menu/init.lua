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

-- Returns the row of the events `go` that a game follows: the last one that begins a game, otherwise the last one. What
-- happens in the tick in which a demo ends, such as a death, must not end the new game.
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

-- Returns `keys` while the keyboard is in use, otherwise the pad's prompt of the action, such as "Left Stick".
-- `player`: player whose device is used, in games for several players.
function M.name_control(keys, action, player)
  return input.device(player) == "keyboard" and keys or input.prompt(action, player)
end

-- Returns the strength of a flash, from 0 to 1, as far as the player permits flashes. For render systems.
function M.flash(strength) return strength * settings.flashes end

local function find_player(number)
  for _, player in ipairs(players.list()) do
    if player.number == number then return player end
  end
end

-- Returns false for a player on a remote machine. For render systems.
function M.is_local(number)
  local player = find_player(number)
  return player ~= nil and player.is_local
end

-- In a match, returns the name of a player, with at most 12 characters; otherwise nil.
function M.name_player(number)
  local player = players.in_match() and find_player(number)
  if not player then return nil end
  local name = player.name
  if name:sub(1, 1) == "@" then name = " " .. name end -- not a reference to a string
  return utf8.len(name) <= 12 and name or name:sub(1, utf8.offset(name, 12) - 1) .. "…"
end

return M
