-- Delayed changes: world.after, world.cancel and world.tween. They create rows of the components timer and tween, which
-- C advances (countdown/countdown.h); this file validates their arguments.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local json = need("base/json")
local report = need("base/report")
local scope = need("base/scope")
local text = need("base/string_table")
local negated = need("math/number").negate
local components = need("schema/component")
local value = need("schema/value")
local entity = need("world/entity")
local event = need("world/event")
local C, W = abi.C, abi.world

---@class engine.later
---@field spawn fun(name: string?, overrides: table): shoal.Entity world.spawn; set by world/world.lua
---@field singles table world.single; set by world/world.lua
local M = {}

local function check_seconds(v, caller)
  if type(v) ~= "number" or not (v >= 0 and v < 1 / 0) then
    report.raise("%s: seconds must be a finite number of at least 0, got %s", caller, report.describe(v))
  end
  return v
end

-- --- timers

-- Converts a number as stored in a column to a value for JSON: string ids and enum indices become strings, and the
-- values of bool fields become booleans. NaN and infinities are errors.
local function to_json_value(field, number)
  if field.type == "bool" then
    return number ~= 0
  elseif field.type == "string" or field.type == "asset" then
    return text.get_text(number)
  elseif field.type == "enum" then
    return field.choices[number + 1]
  elseif number - number ~= 0 then
    report.raise("world.after: %s is %s: values must be finite", field.name,
      number ~= number and "NaN" or "infinite")
  end
  return number
end

-- Checks an event's values as world.emit does, and returns them as JSON; "" if there are no values.
local function encode_values(event_type, values)
  local fields, out = {}, {}
  for _, field in ipairs(event_type.fields) do
    fields[field.column] = field
  end
  for i = 0, (values ~= nil and value.pack(event_type, values) or 0) - 1 do
    local field = fields[value.columns[i]]
    out[field.name] = to_json_value(field, value.numbers[i])
  end
  return next(out) ~= nil and json.encode(out) or ""
end

---@param seconds any
---@param name any
---@param values? any
---@return { event: string, values: string, seconds: number } timer
function M.create_timer(seconds, name, values)
  check_seconds(seconds, "world.after")
  if not event.is_public(name) then
    report.raise("world.after: unknown event %s%s", report.show(name), event.hint(name))
  end
  local event_type = event.find(name, "world.after")
  return { event = event_type.name, values = encode_values(event_type, values), seconds = seconds }
end

---@param e any
---@return boolean true if the timer was still pending
function M.cancel(e)
  local id, timer = handle.get_id(e), components.find_builtin("timer")
  if not id then
    report.raise("world.cancel: expected the timer that world.after returned, got %s", report.describe(e))
  elseif not handle.stays_alive(id) then
    return false
  elseif not C.world_has_component(W, id, timer.id) and not C.world_is_component_pending(W, id, timer.id) then
    report.raise("world.cancel: %s is not a timer from world.after: use e:destroy() to destroy an entity",
      components.format_title(id))
  end
  return (C.world_destroy_entity(W, id))
end

-- --- tweens

local OPTIONS = { from = true, delay = true, times = true, forever = true, back = true, next = true }
local MAX_STEPS = 16 -- maximum number of steps in a chain of tweens

-- Splits a path such as "gun.left.heat" into its component, the name of the instance (nil if unnamed), and the name of
-- the field. `is_singleton`: the path must name a field of a singleton.
local function split_path(path, is_singleton)
  local component, rest = nil, nil
  path = scope.value("path", path)
  if type(path) == "string" then
    local _, head_end = path:find("^[%w_]+%.[%w_]+")
    component = head_end and components.by_name[path:sub(1, head_end)] -- a path in an add-on: "menu.cursor.x"
    rest = component and path:sub(head_end + 2)
    if not component then
      component, rest = path:match("^([%w_]+)%.(.+)$")
      component = component and components.by_name[component] or nil
    end
  end
  if not component then
    local name = type(path) == "string" and path:match("^[^.]*") or path
    report.raise("world.tween: %s is not a field%s: use a path like \"transform.x\"", report.show(path),
      report.suggest(name, components.by_name))
  elseif component.kind == "single" and not is_singleton then
    report.raise("world.tween: %s is a singleton: use world.tween(world.single, %q, …)", component.name, path)
  elseif component.kind ~= "single" and is_singleton then
    report.raise("world.tween: %s is a component: use world.tween(e, %q, …)", component.name, path)
  end
  local instance, field = rest:match("^([%w_]+)%.(.+)$")
  if component.kind == "many" and instance and not component.by_name[rest] and not component.vectors[rest] then
    return component, instance, field
  end
  return component, nil, rest
end

local NUMBERS = value.NUMBERS
local ALIAS = { r = "x", g = "y", b = "z", a = "w", ["1"] = "x", ["2"] = "y", ["3"] = "z", ["4"] = "w" }

-- Returns the numeric fields of a path (the field itself, or the parts of a vector), and true if the path is a vector.
local function list_numeric_fields(component, name)
  local base, part = name:match("^(.-)%.(%w)$")
  name = base and component.vectors[base] and base .. "." .. (ALIAS[part] or part) or name
  if component.vectors[name] then
    return component.vectors[name], true
  end
  local field = component.by_name[name]
  if not field or field.hidden then
    value.fail_unknown_field(component, name)
  elseif not NUMBERS[field.type] then
    report.raise("world.tween: %s.%s has the type %s: only numbers and vectors can be tweened", component.name, name,
      field.type)
  elseif field.read_only then
    report.raise("world.tween: %s.%s is read-only", component.name, name)
  end
  return { field }, false
end

local ease_numbers = {} -- easing name → number; a search would be a loop, which cannot be inlined in a compiled loop
for i, choice in ipairs(components.find_builtin("tween").by_name.ease.choices) do
  ease_numbers[choice] = i - 1
end

local function find_ease_number(name)
  local number = ease_numbers[name]
  if number then
    return number
  end
  local choices = components.find_builtin("tween").by_name.ease.choices
  report.raise("unknown easing %s%s; available: %s", report.show(name), report.suggest(name, choices),
    table.concat(choices, ", "))
end

local function check_options(options)
  if type(options) ~= "table" then
    report.raise("world.tween: options must be a table, got %s: use { times = 2, back = true }",
      report.describe(options))
  end
  for key in pairs(options) do
    if not OPTIONS[key] then
      report.raise("world.tween has no option %s%s; available: %s", report.show(key),
        report.suggest(key, OPTIONS), report.join_names(OPTIONS))
    end
  end
  local times = options.times
  if times ~= nil and (type(times) ~= "number" or times < 1 or times > 4294967295 or times % 1 ~= 0) then
    report.raise("world.tween: times must be an integer from 1 to 4294967295, got %s: use forever = true to "
      .. "repeat endlessly",
      report.describe(times))
  end
end

-- Returns the common values of one step's rows: a chain of tweens has one row per step and number. `start_s`: seconds
-- from the call to world.tween until the step starts.
local function create_step(seconds, ease, options, start_s)
  options = options == nil and {} or options
  check_options(options)
  check_seconds(seconds, "world.tween")
  local times = options.forever and 0 or options.times or options.back and 2 or 1
  if times == 0 and seconds == 0 then
    report.raise("world.tween: forever requires a duration greater than 0 seconds")
  elseif times == 0 and options.next ~= nil then
    report.raise("world.tween: next is never reached, because the step before it repeats forever: remove next or "
      .. "forever")
  end
  start_s = start_s + (options.delay ~= nil and check_seconds(options.delay, "world.tween: delay") or 0)
  return { ease = find_ease_number(ease == nil and "linear" or ease), seconds = seconds, elapsed = negated(start_s),
    times = times, back = options.back == true, ends = start_s + seconds * times, from = options.from,
    next = options.next }
end

-- Returns part i of `v` if the field is a vector, otherwise `v`, which must be a finite number. `v`: the `to` or `from`
-- of a tween.
local function get_number(component, base, parts, is_vector, v, i)
  if is_vector then
    local part = value.vector_part(component, base, value.to_plain_vector(v), i)
    return part or report.raise("world.tween: the target of %s.%s must have %d numbers, but number %d is missing",
      component.name, base, #parts, i)
  elseif type(v) ~= "number" or v - v ~= 0 then
    report.raise("world.tween: the target of %s.%s must be a finite number, got %s", component.name, base,
      report.describe(v))
  end
  return v
end

local function add_row(id, component, instance, fields)
  if not C.world_add_component(W, id, component.id, text.intern(instance), abi.error) then
    report.raise("world.tween: %s", abi.get_error_text())
  end
  entity.set_fields(id, component, text.intern(instance), fields)
end

local function format_row_name(path, step_number)
  return step_number == 1 and path or path .. " then " .. step_number - 1
end

-- Removes the rows of an older chain on this path from step `first_step` on.
local function remove_steps(id, path, first_step)
  local component = components.find_builtin("tween")
  if C.world_has_component(W, id, component.id) or C.world_is_component_pending(W, id, component.id) then
    for step_number = first_step, MAX_STEPS do
      local name = text.find(format_row_name(path, step_number))
      if name ~= 0 then
        C.world_remove_component(W, id, component.id, name)
      end
    end
  end
end

-- Returns the steps of a chain: the tween itself and the steps in `next`. Throws if an option of any step is invalid.
local function create_steps(to, seconds, ease, options)
  local steps, start_s = {}, 0
  repeat
    local step = create_step(seconds, ease, options, start_s)
    step.to, start_s = to, step.ends
    steps[#steps + 1] = step
    if #steps > MAX_STEPS then
      report.raise("world.tween: too many steps in a chain (at most %d): start another chain when tween_ended is "
        .. "emitted",
        MAX_STEPS)
    elseif step.next ~= nil and type(step.next) ~= "table" then
      report.raise("world.tween: next must be a table { to, seconds, ease, options }, got %s",
        report.describe(step.next))
    end
    if step.next then
      to, seconds, ease, options = step.next[1], step.next[2], step.next[3], step.next[4]
    end
  until not step.next
  return steps
end

-- Checks arguments of world.tween, and throws the errors that world.tween would throw. Checks neither the entity nor
-- `from`. `to` is nil if its value is not yet known.
---@param path any
---@param to any
---@param seconds any
---@param ease any
---@param options any
function M.check(path, to, seconds, ease, options)
  local component, _, name = split_path(path)
  local parts, is_vector = list_numeric_fields(component, name)
  for _, step in ipairs(create_steps(to, seconds, ease, options)) do
    for i = 1, to ~= nil and #parts or 0 do
      get_number(component, is_vector and parts[1].base or name, parts, is_vector, step.to, i)
    end
  end
end

-- Returns the problem with the path of a tween, or nil if the path is valid. Accepts singleton fields and
-- components, because the path does not show which kind the caller needs.
---@param path string
---@return string?
function M.find_path_problem(path)
  local name = scope.value("path", path):match("^[^.]*")
  local is_single = components.by_name[name] ~= nil and components.by_name[name].kind == "single"
  local ok, problem = pcall(function()
    local component, _, field = split_path(path, is_single)
    list_numeric_fields(component, field)
  end)
  return not ok and report.get_message(problem) or nil
end

-- Returns true if a tween is changing the field at this path or, if the field is a vector, a part of it. Tweens with
-- `forever` do not count, because they never end.
---@param id integer
---@param path string
---@return boolean
function M.is_tweening(id, path)
  local tween, component, instance, name = components.find_builtin("tween"), split_path(path)
  if not C.world_has_component(W, id, tween.id) then
    return false
  end
  for _, field in ipairs((list_numeric_fields(component, name))) do
    local row_name_id = text.find(component.name .. "." .. (instance and instance .. "." or "") .. field.name)
    local row = row_name_id ~= 0 and C.manager_find_instance_row(tween.manager, id, row_name_id) or abi.NO_ROW
    if row ~= abi.NO_ROW and tween.get_row.times(row) ~= 0 then
      return true
    end
  end
  return false
end

-- Name of the entity that owns the rows of all singleton tweens. It is spawned together with the first such tween.
local OWNER_NAME = "shoal.tweens"
local queued_owner ---@type integer? id of the owner if the running system spawned it, so that it has no rows yet

-- Returns the id of the entity that owns the tweens of singletons, whose spawn may be queued. If the entity does not
-- exist, spawns it if `may_spawn` is true, otherwise returns nil.
local function get_owner_of_singles(may_spawn)
  local component, name = components.by_name.name, text.find(OWNER_NAME)
  for row = 0, name ~= 0 and component.manager.count - 1 or -1 do
    if component.get_row.value(row) == OWNER_NAME then
      return component.manager.owner[row]
    end
  end
  local id = queued_owner
  if may_spawn and not (id and handle.stays_alive(id)) then
    id = handle.get_id(M.spawn(nil, { name = { value = OWNER_NAME } })) --[[@as integer]]
    queued_owner = C.world_is_deferring(W) and id or nil
  end
  return id
end

-- Clears the id of the queued owner, after the commands of a system have been applied or dropped.
function M.drop_queued_owner()
  queued_owner = nil
end

-- Returns the entity's id (nil for world.single), and the component, instance and field of the path. Throws if the
-- entity neither has the component nor receives it when the system ends.
local function resolve_target(e, path)
  if rawequal(e, M.singles) then
    local component, instance, name = split_path(path, true)
    return nil, component, instance, name
  end
  local id = handle.get_id(e)
  if not id then
    report.raise("world.tween: %s is not an entity: use world.tween(e, \"transform.x\", 300, 0.4)", report.show(e))
  elseif not handle.stays_alive(id) then
    report.raise("world.tween: %s", components.describe_dead(id))
  end
  local component, instance, name = split_path(path)
  if not C.world_has_component(W, id, component.id) and not C.world_is_component_pending(W, id, component.id) then
    components.fail_missing(component, id)
  end
  return id, component, instance, name
end

---@param e any
---@param path any
---@param to any nil stops the tween at its current value
---@param seconds? any
---@param ease? any
---@param options? any
function M.tween(e, path, to, seconds, ease, options)
  local id, component, instance, name = resolve_target(e, path)
  local parts, is_vector = list_numeric_fields(component, name)
  local prefix = component.name .. "." .. (instance and instance .. "." or "")
  local base = is_vector and parts[1].base or name
  local steps, rows = to ~= nil and create_steps(to, seconds, ease, options) or {}, {}
  for step_number, step in ipairs(steps) do
    for i, field in ipairs(parts) do
      local start_value = step.from ~= nil and get_number(component, base, parts, is_vector, step.from, i) or 0
      rows[#rows + 1] = { name = format_row_name(prefix .. field.name, step_number),
        fields = { path = prefix .. field.name,
        ease = components.find_builtin("tween").by_name.ease.choices[step.ease + 1], elapsed = step.elapsed,
          times = step.times,
        to = get_number(component, base, parts, is_vector, step.to, i), seconds = step.seconds, back = step.back,
        begun = step.from ~= nil, from = start_value } }
    end
  end
  id = id or get_owner_of_singles(#rows > 0)
  if not id then
    return
  end
  for _, row in ipairs(rows) do
    add_row(id, components.find_builtin("tween"), row.name, row.fields)
  end
  for _, field in ipairs(parts) do
    remove_steps(id, prefix .. field.name, #steps + 1)
  end
end

-- --- easing functions

-- Implements shoal.ease(name, t): returns the eased value at the fraction t of the duration.
---@param name any
---@param t any
---@return number
function M.ease(name, t)
  if type(t) ~= "number" then
    report.raise("shoal.ease: the time must be a number from 0 to 1, got %s", report.describe(t))
  end
  local eased = C.ease_evaluate(find_ease_number(name), t)
  return eased
end

return M
