-- Cockpit extensions declared by games: shoal.cockpit { title = …, draw = … } declares a panel; { title = …, sql = … }
-- declares a panel that shows a table; { command = …, run = … } declares a command. Plugins add panels and commands,
-- too (engine/include/shoal/plugin.h, command.h). Panels are drawn, and commands run, only when the cockpit requests it
-- (cockpit/panels.c).
--
-- `draw` lists a panel's widgets and must not change the world. Pressing a button or moving a slider runs a chunk
-- between two ticks, shoal.cockpit("Rocks", "Split all"), which draws the panel again to find the function with that
-- label. The chunk is recorded, so a replay calls the same function.
local need, native = ...
local cache = need("base/cache")
local protected_call = need("base/protected_call")
local handle = need("base/handle")
local json = need("base/json")
local phases = need("base/phases")
local report = need("base/report")
local text = need("base/string_table")
local components = need("schema/component")
local query = need("world/query")

---@class engine.Panel
---@field title string
---@field at string location of the panel's declaration: "cockpit.lua:3", or "plugin physics"
---@field draw? fun(panel: shoal.CockpitWidgets, e?: shoal.Entity)
---@field sql? string
---@field plot? boolean true: plot the result of `sql` as lines
---@field plugin? integer index of the plugin that draws the panel, from 0
---@field number? integer index of the panel in the plugin, from 0

---@class engine.Widget
---@field kind "label" | "value" | "slider" | "button" | "plot"
---@field label string
---@field text? string
---@field value? number
---@field min? number
---@field max? number
---@field entity? integer owner of the field that a slider is bound to; 0 for a singleton
---@field whole? boolean true if the field has an integer type
---@field f? fun(value?: number) called when the widget is used; not sent to the cockpit

---@class engine.cockpit
local M = {}
local MAX_PANELS, MAX_COMMANDS, MAX_WIDGETS, MAX_POINTS = 32, 64, 64, 512
local FIRST_COMMAND = 1000 -- equal to PLUGIN_COMMANDS_OFFSET in plugin/panel.h
local PANEL = { title = "string", draw = "function", sql = "string", plot = "boolean" }
local COMMAND = { command = "string", help = "string", run = "function" }
local PARTS = { title = true, draw = true, sql = true, plot = true, command = true, help = true, run = true }
local TYPE_LABELS = { string = "a string", ["function"] = "a function", boolean = "true or false" }

local panels, commands = {}, {}
local pending_declarations = {} -- declarations since the last M.add_roots: { declaration, its file }

-- --- declaring

local function find_caller()
  for level = 3, 40 do
    local frame = debug.getinfo(level, "Sl")
    if frame and frame.source:find("^@") and not frame.source:find("^@%[shoal%]") then
      return frame.source:sub(2), frame.currentline
    end
  end
  return "", 0
end

local function check_name(label, name)
  if name == "" or #name > 60 or name:find("%c") then
    report.raise("shoal.cockpit: %s must be one line of 1 to 60 bytes, got %s", label, report.describe(name))
  end
end

local function find_by_key(list, key, name)
  for _, entry in ipairs(list) do
    if entry[key] == name then
      return entry
    end
  end
end

local function check_parts(declaration, allowed_fields)
  for key, v in pairs(declaration) do
    if not PARTS[key] then
      report.raise("shoal.cockpit has no field %s%s; available: %s", report.show(key), report.suggest(key, PARTS),
        report.join_names(PARTS))
    elseif not allowed_fields[key] then
      report.raise("shoal.cockpit: %s is a field of a %s, but this is a %s", key,
        PANEL[key] and "panel" or "command", PANEL[key] and "command" or "panel")
    elseif type(v) ~= allowed_fields[key] then
      report.raise("shoal.cockpit: %s must be %s, got %s", key, TYPE_LABELS[allowed_fields[key]], report.describe(v))
    end
  end
end

local function check_query(sql)
  local keyword = (sql:match("^%s*(%a+)") or ""):lower()
  if keyword ~= "select" and keyword ~= "with" and keyword ~= "values" then
    report.raise("shoal.cockpit: sql must be a read-only query, got %s: use SELECT …", report.describe(sql))
  end
end

local function add_panel(declaration, location)
  check_parts(declaration, PANEL)
  check_name("title", declaration.title)
  local existing = find_by_key(panels, "title", declaration.title)
  if existing then
    report.raise("two panels are named “%s”: rename one of them (the other is at %s)", declaration.title,
      existing.at)
  elseif (declaration.draw == nil) == (declaration.sql == nil) then
    report.raise("the panel “%s” must have either draw or sql, got %s", declaration.title,
      declaration.draw and "both" or "neither")
  elseif declaration.plot and not declaration.sql then
    report.raise("the panel “%s”: plot = true requires sql: use panel:plot in draw", declaration.title)
  elseif #panels == MAX_PANELS then
    report.raise("too many panels (at most %d per game)", MAX_PANELS)
  elseif declaration.sql then
    check_query(declaration.sql)
  end
  panels[#panels + 1] = { title = declaration.title, at = location, draw = declaration.draw, sql = declaration.sql,
    plot = declaration.plot }
end

local function add_command(declaration, location)
  check_parts(declaration, COMMAND)
  check_name("command", declaration.command)
  local existing = find_by_key(commands, "name", declaration.command)
  if existing then
    report.raise("two commands are named “%s”: rename one of them (the other is at %s)", declaration.command,
      existing.at)
  elseif declaration.run == nil then
    report.raise("the command “%s” has no function: add run = function() … end", declaration.command)
  elseif #commands == MAX_COMMANDS then
    report.raise("too many commands (at most %d per game)", MAX_COMMANDS)
  end
  commands[#commands + 1] = { name = declaration.command, at = location, help = declaration.help
    or "", run = declaration.run }
end

local function declare_part(declaration)
  phases.check("shoal.cockpit{…}")
  if declaration.title ~= nil and declaration.command ~= nil then
    report.raise("shoal.cockpit: title and command cannot be combined: declare a panel and a command in two calls")
  elseif declaration.title == nil and declaration.command == nil then
    check_parts(declaration, PARTS)
    report.raise("shoal.cockpit: expected a title or a command: use { title = \"Rocks\", sql = \"SELECT …\" } for "
      .. "a panel, { command = \"Split all\", run = function() … end } for a command")
  end
  local file, line = find_caller()
  local add_declaration = declaration.title ~= nil and add_panel or add_command
  local key = declaration.title ~= nil and "title" or "command"
  if type(declaration[key]) ~= "string" then
    report.raise("shoal.cockpit: %s must be a string, got %s", key, report.describe(declaration[key]))
  end
  add_declaration(declaration, file .. ":" .. line)
  pending_declarations[#pending_declarations + 1] = { declaration, file }
end

-- Appends the declarations made since the previous call to the list `roots`, so that the loader makes them constant
-- like the values that files return.
---@param roots { [1]: any, [2]: string }[]
function M.add_roots(roots)
  for _, entry in ipairs(pending_declarations) do
    roots[#roots + 1] = entry
  end
  pending_declarations = {}
end

-- Adds plugin panels and commands. If a title is already taken, the plugin's name is appended: "Bodies of physics".
---@param plugins engine.Plugin[]
function M.add_plugins(plugins)
  for index, plugin in ipairs(plugins) do
    for number, entry in ipairs(plugin.panels) do
      local title = find_by_key(panels, "title", entry.title) and entry.title .. " of " .. plugin.name or entry.title
      panels[#panels + 1] = { title = title, at = "plugin " .. plugin.name, sql = entry.sql, plot = entry.plot,
        plugin = not entry.sql and index - 1 or nil, number = number - 1 }
    end
    for number, entry in ipairs(plugin.commands) do
      local name = find_by_key(commands, "name", entry.name) and entry.name .. " of " .. plugin.name or entry.name
      commands[#commands + 1] = { name = name, at = "plugin " .. plugin.name, help = entry.help or "", run = function(e)
        local _, problem = native.plugin_panel(index - 1, FIRST_COMMAND + number - 1, e and handle.get_id(e) or 0)
        return problem and report.raise("%s", problem)
      end }
    end
  end
end

-- --- widgets

local drawn_widgets ---@type engine.Widget[]? widgets of the panel that is being drawn

---@class shoal.CockpitWidgets
local methods = {}
local Panel = setmetatable({}, {
  __index = function(_, name)
    if methods[name] then
      return methods[name]
    end
    report.raise("a panel has no %s%s; available: %s", report.show(name), report.suggest(name, methods),
      report.join_names(methods))
  end,
  __newindex = function(_, name)
    report.raise("panel.%s cannot be assigned: keep lasting values in a component or a singleton",
      report.show(name))
  end,
  __metatable = false,
})

local function add_widget(self, kind, label, widget)
  if self ~= Panel then
    report.raise("panel.%s must be called with a colon: use panel:%s(…)", kind, kind)
  elseif type(label) ~= "string" then
    report.raise("panel:%s: the label must be a string, got %s", kind, report.describe(label))
  elseif #drawn_widgets == MAX_WIDGETS then
    report.raise("too many widgets in the panel (at most %d): for more rows, use sql = \"SELECT …\"", MAX_WIDGETS)
  end
  widget.kind, widget.label = kind, label
  if kind == "button" or kind == "slider" or kind == "plot" then
    for _, other in ipairs(drawn_widgets) do
      if other.kind == kind and other.label == widget.label then
        report.raise("two %ss of the panel are named “%s”: rename one of them", kind, label)
      end
    end
  end
  drawn_widgets[#drawn_widgets + 1] = widget
end

function methods.label(self, label)
  phases.check("panel:label")
  add_widget(self, "label", label, {})
end

function methods.value(self, label, v)
  phases.check("panel:value")
  local value_text = report.show(v)
  if type(v) == "number" and v % 1 ~= 0 and v - v == 0 then
    value_text = ("%.6g"):format(v)
  end
  add_widget(self, "value", label, { text = value_text })
end

function methods.button(self, label, f)
  phases.check("panel:button")
  if type(f) ~= "function" then
    report.raise("panel:button(%q, …): expected a function, got %s", report.show(label),
      report.describe(f))
  end
  add_widget(self, "button", label, { f = f })
end

local function is_number(v)
  return type(v) == "number" and v - v == 0
end

function methods.plot(self, label, v)
  phases.check("panel:plot")
  if type(v) ~= "table" then
    if not is_number(v) then
      report.raise("panel:plot(%q, …): the value must be a finite number or a list of finite numbers, got %s",
        report.show(label), report.describe(v))
    end
    return add_widget(self, "plot", label, { value = v })
  end
  local points = {}
  for i = 1, math.min(#v, MAX_POINTS) do
    points[i] = v[i]
    if not is_number(v[i]) then
      report.raise("panel:plot(%q, …): element %d must be a finite number, got %s", report.show(label), i,
        report.describe(v[i]))
    end
  end
  add_widget(self, "plot", label, { points = points })
end

local function check_range(range, name)
  if type(range) ~= "table" or not is_number(range[1]) or not is_number(range[2]) or range[1] >= range[2] then
    report.raise("panel:slider: the range of %s must be a list of two numbers, the smaller one first: { 0, 10 }", name)
  end
  return range[1], range[2]
end

local function get_declared_range(component, field, path)
  for _, range in ipairs(component.schema and component.schema.ranges or {}) do
    if range.name == field and range.min and range.max then
      return { range.min, range.max }
    end
  end
  report.raise("panel:slider: %s has no range: pass { 0, 10 } after the path, or declare the field with "
    .. "shoal.types.f32(1, { min = 0, max = 10 })", path)
end

-- Splits "engine.push" or "gun.left.heat" into the component, the name of the instance (nil if unnamed), and the field.
local function resolve_field_path(path)
  local name, rest = path:match("^([%w_]+)%.(.+)$")
  local component = components.by_name[name]
  if not component then
    report.raise("panel:slider: %q is not a field%s: use a path like \"transform.x\"", path,
      report.suggest(name, components.by_name))
  end
  local instance, field = rest:match("^([%w_]+)%.(.+)$")
  if component.kind == "many" and instance and not component.by_name[rest] and not component.vectors[rest] then
    return component, instance, field
  end
  return component, nil, rest
end

local function bind_slider(e, path, range)
  local component, instance, field = resolve_field_path(path)
  if (component.kind == "single") ~= (e == nil) then
    report.raise("panel:slider: %s is a %s: %s", component.name, component.kind == "single" and "singleton"
      or "component",
      e == nil and "pass the entity before the path" or "pass no entity")
  end
  local v = e == nil and components.single[component.name] or e[component.name]
  v = instance and v[instance] or v
  for part in field:gmatch("[^.]+") do
    v = v[part]
  end
  if type(v) ~= "number" then
    report.raise("panel:slider: the value of %s must be a number, got %s", path, report.describe(v))
  end
  local low, high = check_range(range == nil and get_declared_range(component, field, path) or range, path)
  local kind = component.by_name[field] and component.by_name[field].type
  return { value = v, min = low, max = high, entity = e and handle.get_id(e) or 0, component = component.name,
    instance = instance, field = field, whole = kind ~= nil and kind ~= "f32" and kind ~= "f64" or nil }
end

-- panel:slider("Push", e, "engine.push") binds the slider to a field; panel:slider("Lives", "lives.count", { 0, 9 })
-- binds it to a field of a singleton; panel:slider("Wind", 3, { 0, 10 }, function(v) … end) shows a number and calls
-- the function when the slider moves.
function methods.slider(self, label, a, b, c)
  phases.check("panel:slider")
  if type(a) == "number" then
    if type(c) ~= "function" then
      report.raise("panel:slider(%q, …): expected a function after the range, got %s", report.show(label),
        report.describe(c))
    end
    local low, high = check_range(b, report.show(label))
    add_widget(self, "slider", label, { value = a, min = low, max = high, f = c })
  elseif type(a) == "string" then
    add_widget(self, "slider", label, bind_slider(nil, a, b))
  elseif handle.get_id(a) and type(b) == "string" then
    add_widget(self, "slider", label, bind_slider(a, b, c))
  else
    report.raise("panel:slider(%q, …): expected an entity and a field (e, \"engine.push\"), a field of a singleton "
      .. "(\"lives.count\"), or a number, a range and a function", report.show(label))
  end
end

phases.require_rows("panel:", methods)

-- --- drawing

local function draw_panel(panel, id, pressed)
  if panel.plugin then
    local widgets, problem = native.plugin_panel(panel.plugin, panel.number, id or 0, pressed)
    return widgets or report.raise("%s", problem)
  end
  drawn_widgets = {}
  local e = id and id ~= 0 and handle.stays_alive(id) and handle.handle(id) or nil
  panel.draw(Panel, e)
  return drawn_widgets
end

-- Draws a panel and returns its widgets. `id`: the selected entity. If `pressed` is given, the panel belongs to a
-- plugin, and the plugin also handles a press of the widget with this label.
local function list_widgets(panel, id, pressed)
  local phase, description = phases.enter(pressed and "action" or "panel")
  local ok, result = protected_call.call(draw_panel, panel, id, pressed)
  phases.enter(phase, description)
  drawn_widgets = nil
  query.close_opened_by_scripts()
  if not ok then
    error(result, 0)
  end
  return result
end

-- Shortens a string to `max_bytes` bytes plus "…" if it is longer, and replaces invalid UTF-8, which JSON cannot
-- contain.
local function truncate_and_sanitize(s, max_bytes)
  if #s > max_bytes then
    s = s:sub(1, max_bytes):gsub("[\194-\244][\128-\191]*$", "") .. "…"
  end
  if s:find("[\128-\255]") and not native.json_decode('"' .. s:gsub('[%c"\\]', " ") .. '"') then
    s = s:gsub("[\128-\255]", "?")
  end
  return s
end

-- Returns the widgets of a panel as JSON. For number 0, returns the lists of panels and commands.
---@param panel_number integer number of the panel, from 1
---@param id integer the selected entity, 0 if none is selected
---@return string
function M.describe(panel_number, id)
  if panel_number == 0 then
    local out = { panels = {}, commands = {} }
    for i, entry in ipairs(panels) do
      out.panels[i] = { title = entry.title, at = entry.at, sql = entry.sql, plot = entry.plot }
    end
    for i, entry in ipairs(commands) do
      out.commands[i] = { name = entry.name, help = entry.help }
    end
    return json.encode(out)
  end
  text.refresh()
  cache.refresh()
  local out = {}
  for i, entry in ipairs(panels[panel_number] and list_widgets(panels[panel_number], id) or {}) do
    out[i] = { kind = entry.kind, label = truncate_and_sanitize(entry.label, 120), text = entry.text
      and truncate_and_sanitize(entry.text, 250), value = entry.value, min = entry.min, max = entry.max,
      points = entry.points, entity = entry.entity, component = entry.component, instance = entry.instance,
      field = entry.field,
      whole = entry.whole }
  end
  return json.encode(out)
end

-- --- pressing

local function run_action(f, argument)
  local phase, description = phases.enter("action")
  f(argument)
  phases.enter(phase, description)
end

local function run_command(name, id)
  local command = find_by_key(commands, "name", name)
  if command then
    run_action(command.run, id and handle.stays_alive(id) and handle.handle(id) or nil)
    return
  end
  local names = {}
  for i, entry in ipairs(commands) do
    names[i] = entry.name
  end
  report.raise("unknown command “%s”%s", report.show(name), report.hint(name, names))
end

local function check_value(widget, v)
  if widget.kind == "slider" and not is_number(v) then
    report.raise("the slider “%s” must be set to a finite number, got %s", widget.label, report.describe(v))
  end
  return widget.kind == "slider" and math.max(widget.min, math.min(widget.max, v)) or nil
end

local function press_widget(title, label, v, id)
  local panel, names = find_by_key(panels, "title", title), {}
  if not panel then
    for i, entry in ipairs(panels) do
      names[i] = entry.title
    end
    report.raise("unknown panel “%s”%s", title, report.hint(title, names))
  end
  for _, entry in ipairs(panel.sql and {} or list_widgets(panel, id)) do
    local is_match = entry.label == label or truncate_and_sanitize(entry.label, 120) == label
    if is_match and (entry.kind == "button" or entry.kind == "slider" and not entry.component) then
      v = check_value(entry, v)
      if panel.plugin then
        list_widgets(panel, id, entry.label)
      else
        run_action(entry.f, v)
      end
      return
    end
    names[#names + 1] = (entry.kind == "button" or entry.kind == "slider") and entry.label or nil
  end
  report.raise("the panel “%s” currently has no button or slider “%s”%s", title, report.show(label),
    report.hint(label, names))
end

-- Implements shoal.cockpit. A table declares a panel or a command. String arguments perform the actions of a cockpit
-- user, and are allowed only between two ticks: shoal.cockpit("Split all") runs a command, and shoal.cockpit("Rocks",
-- "Split") presses a button of a panel.
---@param target any declaration, name of a command, or title of a panel
---@param label any label of a widget
---@param new_value any new value of a slider
---@param selected any the selected entity or its id
function M.api(target, label, new_value, selected)
  if type(target) == "table" then
    declare_part(target)
    return
  elseif type(target) ~= "string" or label ~= nil and type(label) ~= "string" then
    report.raise("shoal.cockpit: expected a declaration ({ title = \"Rocks\", sql = \"SELECT …\" }), the name of a "
      .. "command, or the title of a panel and the label of a widget, got %s",
      report.describe(type(target) == "string" and label or target))
  end
  phases.check("shoal.cockpit(name)")
  local id = type(selected) == "number" and selected or selected ~= nil and handle.get_id(selected) or nil
  id = id ~= 0 and id or nil
  if label == nil then
    run_command(target, id)
  else
    press_widget(target, label, new_value, id)
  end
end

return M
