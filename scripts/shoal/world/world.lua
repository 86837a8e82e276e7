-- The global `world` of game files, to which other files, such as kit/scene.lua, add functions.
local need, native = ...
local abi = need("base/abi")
local protected_call = need("base/protected_call")
local handle = need("base/handle")
local handle_list = need("base/handle_list")
local late_binding = need("base/late_binding")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local api_hints = need("messages/api_hints")
local column = need("schema/column")
local components = need("schema/component")
local literal = need("schema/literal")
local requirements = need("schema/requirements")
local value = need("schema/value")
local literal_writer = need("schema/literal_writer")
local assemblage = need("world/assemblage")
local child_values = need("world/child_values")
local definitions = need("world/definitions")
local entity = need("world/entity")
local entity_iterators = need("world/entity_iterators")
local event = need("world/event")
local timers_and_tweens = need("world/timers_and_tweens")
local spatial_queries = need("world/spatial_queries")
local observers = need("world/observers")
local pair_query = need("world/pair_query")
local query = need("world/query")
local relation = need("world/relation")
local room = need("world/room")
local snapshot = need("world/snapshot")
local states = need("world/states")
local tiles = need("world/tiles")
local watches = need("world/watches")
local ffi, C, W, MARK = abi.ffi, abi.C, abi.world, literal.MARK

local world = {}
local changing = entity.changing

local function require_component(name)
  local component = components.by_name[name]
  if not component then
    components.refuse_metadata(name, "world")
    report.raise("unknown component %s%s", report.show(name), components.hint(name))
  elseif component.kind == "single" then
    report.raise("%s is a singleton: use world.single.%s", name, name)
  end
end

-- --- spawning

local function find_assemblage_id(name, caller)
  if name == nil then
    return 0
  end
  if type(name) ~= "string" then
    local is_list = type(name) == "table" and not report.tables[name]
    report.raise("%s: the assemblage name must be a string, got %s%s", caller, report.describe(name),
      is_list and ": use world.spawn(nil, { transform = { x = 10 } }) without an assemblage" or "")
  end
  local id = type(name) == "string" and C.world_find_assemblage(W, text.find(name)) or 0
  if id == 0 then
    report.raise("%s: unknown assemblage %s%s; available: %s", caller, report.show(name),
      assemblage.former[name] and assemblage.hint(name) or report.suggest(name, assemblage.resolved),
      report.join_names(assemblage.resolved))
  end
  return id
end

local function check_instances(component, values)
  local instances = assemblage.split_instances(component, values)
  local checked_instances = instances
  for instance, fields in pairs(instances) do
    local checked = value.check(component, fields)
    if checked ~= fields and type(fields) == "table" then
      checked_instances = value.with(checked_instances, instances, instance, checked)
    end
  end
  return checked_instances == instances and values or checked_instances
end

local function check_values(component, values)
  if values == false then -- `false` removes the component
    return values
  elseif component.kind == "many" then
    return check_instances(component, values)
  end
  local checked = value.check(component, values)
  return type(values) == "table" and checked or values
end

-- Returns true and the sorted names of at most two overrides, or false if there are more overrides or a name is not a
-- string. Uses no tables and no loops, so that LuaJIT can compile a caller's loop.
local function get_two_names(overrides)
  local first_name = next(overrides)
  local second_name = first_name ~= nil and next(overrides, first_name) or nil
  if second_name ~= nil and next(overrides, second_name) ~= nil or first_name ~= nil and type(first_name) ~= "string"
    or second_name ~= nil and type(second_name) ~= "string" then
    return false
  elseif second_name ~= nil and second_name < first_name then
    return true, second_name, first_name
  end
  return true, first_name, second_name
end

local function check_override(checked_overrides, overrides, name)
  local component, values = components.by_name[name], overrides[name]
  if component or not components.metadata[name] then
    require_component(name)
    local checked_values = check_values(component, values)
    if checked_values ~= values then
      return value.with(checked_overrides, overrides, name, checked_values)
    end
  end
  return checked_overrides
end

-- Checks all overrides before anything is spawned. Returns them as tables without metatables (schema/value.lua).
local function check_overrides(overrides)
  if type(overrides) ~= "table" then
    report.raise("world.spawn: overrides must be a table of components, got %s: use { transform = { x = 10 } }",
      report.describe(overrides))
  end
  local checked_overrides = overrides
  local has_two_or_less, first_name, second_name = get_two_names(overrides)
  if has_two_or_less then
    checked_overrides = first_name ~= nil and check_override(checked_overrides, overrides, first_name)
      or checked_overrides
    return second_name ~= nil and check_override(checked_overrides, overrides, second_name) or checked_overrides
  end
  for name in pairs(overrides) do
    checked_overrides = check_override(checked_overrides, overrides, name)
  end
  return checked_overrides
end

local function add_override(id, component, instance, values)
  if not C.world_add_component(W, id, component.id, instance, abi.error) then
    report.raise("world.spawn: %s", abi.get_error_text())
  end
  entity.set_fields(id, component, instance, values)
end

local function spawn(assemblage_id)
  local id = C.world_spawn(W, assemblage_id, abi.error)
  if id == 0 then
    report.raise("world.spawn: %s", abi.get_error_text())
  end
  return id
end

-- Spawns an entity and its descendants. Returns their ids in the order of creation.
local function spawn_tree(assemblage_id, count)
  local ids = ffi.new("shoal_entity[?]", count)
  if C.world_spawn_tree(W, assemblage_id, ids, count, abi.error) == 0 then
    report.raise("world.spawn: %s", abi.get_error_text())
  end
  return ids
end

local function override_many(id, component, values)
  local instances = assemblage.split_instances(component, values)
  for _, instance in ipairs(sorted_keys(instances)) do
    add_override(id, component, instance == "" and 0 or text.intern(instance), instances[instance])
  end
end

-- Removes the components that require `name`, provided that the overrides also remove them.
local function remove_requirers(id, name, overrides)
  for _, other_name in ipairs(sorted_keys(overrides)) do
    if overrides[other_name] == false and components.by_name[other_name] then
      requirements.visit_required(other_name, function(required)
        if required == name then
          remove_requirers(id, other_name, overrides)
          C.world_remove_component(W, id, components.by_name[other_name].id, 0)
        end
      end)
    end
  end
end

local function override_component(id, name, overrides)
  local component, values = components.by_name[name], overrides[name]
  if not component then
    return -- a metadata component, which is not in the world
  elseif values == false then
    remove_requirers(id, name, overrides)
    if not C.world_check_removal(W, id, component.id, abi.error) then
      report.raise("world.spawn: %s", abi.get_error_text())
    end
    C.world_remove_component(W, id, component.id, 0)
  elseif component.kind == "many" then
    override_many(id, component, values)
  else
    add_override(id, component, 0, values)
  end
end

local function override_components(id, overrides)
  local has_two_or_less, first_name, second_name = get_two_names(overrides)
  if not has_two_or_less then
    for _, name in ipairs(sorted_keys(overrides)) do
      override_component(id, name, overrides)
    end
    return
  end
  if first_name ~= nil then
    override_component(id, first_name, overrides)
  end
  if second_name ~= nil then
    override_component(id, second_name, overrides)
  end
end

local function spawn_overridden(assemblage_id, overrides)
  local id = spawn(assemblage_id)
  override_components(id, overrides)
  return id
end

-- Returns a function that sets the values computed by a state's function, except values in `overrides`.
local function create_state_setter(overrides)
  return function(id, component, instance, values)
    if overrides[component.name] ~= false then
      entity.set_fields(id, component, instance, values)
    end
    if overrides[component.name] then
      override_component(id, component.name, overrides)
    end
  end
end

-- Spawns an assemblage that has overrides for its children (world/child_values.lua) or initial states with functions
-- (`tree`, world/states.lua). The functions can read the overridden values, which take precedence over the functions'
-- results.
local function spawn_tree_overridden(assemblage_id, overrides, tree, children)
  local ids = spawn_tree(assemblage_id, tree and tree.count or children.count)
  local setters = { [1] = create_state_setter(overrides) }
  override_components(ids[0], overrides)
  for _, child in ipairs(children or {}) do
    override_components(ids[child.at], child.overrides)
    setters[child.at + 1] = create_state_setter(child.overrides)
  end
  if tree then
    states.apply_to_spawned(tree, ids, function(position)
      return setters[position] or entity.set_fields
    end)
  end
  return ids[0]
end

-- Queues the spawn and its overrides together, even outside systems, so that observers of the new components see their
-- values. If an override fails, nothing is spawned.
local function spawn_at_once(assemblage_id, overrides, tree, children)
  C.world_defer_begin(W, 0)
  local ok, id = pcall((tree or children) and spawn_tree_overridden or spawn_overridden, assemblage_id, overrides, tree,
    children)
  C.world_defer_end(W, not ok)
  if not ok then
    error(id, 0)
  end
  return id
end

-- --- fast path of world.spawn

-- The fast path is taken inside systems, for assemblages whose initial states call no functions, if the overrides are
-- nil or a table literal in the call (schema/literal.lua).

-- Reading this counter is faster than calling C.world_is_deferring. It is signed because LuaJIT would convert unsigned
-- integers to doubles.
local deferral_depth = ffi.cast("const int32_t *", C.world_deferral_depth(W))

---@class engine.Spawner generated functions that spawn an assemblage
---@field number integer the assemblage's number
---@field resolved engine.Assemblage the assemblage for which the functions were generated; world.define may replace it
---@field [integer] (fun(values: table): integer)|false functions by shape of the overrides; false: unsupported
local SPAWN_NO_COLUMN = 0xffffffff -- equal to SPAWN_NO_COLUMN in ecs/world.h: adds a component without setting a field
local spawners = {} ---@type table<string, engine.Spawner|false>
text.add_change_listener(function() -- called if string ids, or the definitions from world.define, may have changed
  spawners = {}
end)

local function create_spawner(name)
  local resolved = type(name) == "string" and assemblage.resolved[name]
  local assemblage_id = resolved and not states.get_tree(resolved.name)
    and C.world_find_assemblage(W, text.find(resolved.name)) or 0
  if assemblage_id == 0 then
    return nil
  end
  spawners[name] = { number = assemblage_id, resolved = resolved }
  return spawners[name]
end

-- Generates a function that spawns the assemblage with overrides of this shape. The function returns the id of the
-- entity, or -1 if the call's result is unused, or 0 if these values need the general path. Returns false for an
-- unsupported shape. The function adds components in the order of their names, as the general path does.
local function create_writer(spawner, shape)
  local code, choices, checks, values, fields = { "return function(values)" }, {}, {}, {}, {}
  for _, name in ipairs(shape.names) do
    local component = components.by_name[name]
    local code_parts = shape.parts and component and component.kind == "component"
      and literal_writer.list_fields(component, shape.parts[name],
      #values + 1)
    if not code_parts then
      return false
    end
    for k, field in ipairs(code_parts.fields) do
      code[#code + 1] = code_parts.locals[k]
      checks[#checks + 1], values[#values + 1] = code_parts.checks[k], code_parts.values[k]
      fields[#fields + 1] = { manager = component.id, column = field.column }
    end
    if #code_parts.fields == 0 then
      values[#values + 1], fields[#fields + 1] = "0", { manager = component.id, column = SPAWN_NO_COLUMN }
    end
    for value_number, numbers in pairs(code_parts.choices) do
      choices[value_number] = numbers
    end
  end
  code[#code + 1] = ("if not (%s) then return 0 end"):format(#checks > 0 and table.concat(checks, " and ") or "true")
  for i, v in ipairs(values) do
    code[#code + 1] = ("numbers[%d] = %s"):format(i - 1, v)
  end
  local call = "local id = C.world_spawn_with_values(W, number, fields, numbers, %d, problem)\nreturn %s\nend"
  code[#code + 1] = call:format(#values, shape.is_statement and "id ~= 0 and -1 or 0" or "id")
  return #values > 0 and literal_writer.compile("world/world.lua", table.concat(code, "\n"), choices, { C = C, W = W,
    number = spawner.number, problem = abi.error, fields = ffi.new("spawn_field_t[?]", #fields, fields),
    numbers = ffi.new("double[?]", #fields) })
end

local function get_or_create_writer(spawner, shape_number)
  spawner[shape_number] = create_writer(spawner, literal.shapes[shape_number])
  return spawner[shape_number]
end

-- Spawns an entity on the fast path; commands must be deferred. Returns its id, or -1 if the call's result is unused,
-- or 0 if the general path is needed.
local function spawn_fast(name, overrides)
  local spawner = spawners[name]
  if not spawner or spawner.resolved ~= assemblage.resolved[name] then
    spawner = create_spawner(name)
  end
  if not spawner then
    return 0
  elseif overrides == nil then
    local id = C.world_spawn_with_values(W, spawner.number, nil, nil, 0, abi.error)
    return id
  end
  local shape = type(overrides) == "table" and rawget(overrides, MARK)
  if not shape then
    return 0
  end
  local write = spawner[shape]
  if write == nil then
    write = get_or_create_writer(spawner, shape)
  end
  return write and write(overrides) or 0
end

local function spawn_general(name, overrides)
  if type(name) == "table" and overrides == nil and late_binding.is_entity(name) then
    return late_binding.spawn_entity(name)
  end
  name, overrides = scope.name("assemblage", name), literal.restore(overrides)
  local assemblage_id = find_assemblage_id(name, "world.spawn")
  local tree = states.get_tree(name)
  if overrides == nil then
    return tree and spawn_at_once(assemblage_id, {}, tree) or spawn(assemblage_id)
  end
  local children
  if type(overrides) == "table" then
    overrides, children = child_values.split(child_values.plain_overrides(overrides))
  end
  overrides = check_overrides(overrides)
  children = children ~= nil and child_values.read(name, children, check_overrides) or nil
  local spawn_with_overrides = C.world_is_deferring(W) and not tree and not children and spawn_overridden
    or spawn_at_once
  return spawn_with_overrides(assemblage_id, overrides, tree, children)
end

function world.spawn(name, overrides)
  phases.check("world.spawn")
  local id = deferral_depth[0] > 0 and spawn_fast(name, overrides) or 0
  if id == 0 then
    changing("world.spawn")
    id = spawn_general(name, overrides)
    entity.fill_tilemaps()
  elseif id == -1 then
    return handle.none -- creates no handle, because that takes as long as the rest of the spawn
  end
  return handle.handle(id)
end

-- Raises the error for a component that the assemblage lacks. `create_columns(component)` creates the columns, or
-- returns false if the component is missing.
local function fail_missing_component(name, create_columns)
  local names = {}
  for _, component in pairs(components.ids) do
    names[component.name] = create_columns(component) or nil
  end
  report.raise("the assemblage has no component %s%s; available: %s", report.show(name),
    report.suggest(name, names), report.join_names(names))
end

-- Creates the view that world.spawn_many passes to its function: the rows of an entity block that are not in the
-- world yet, accessed like the rows of a query. Returns the view, and the two tables with which fill_block closes it.
local function create_block_view(block, count)
  local views = {}
  local view, inner, add_proxy
  -- Creates a component's columns on first access. Components without columns are spawned from the template.
  local function create_staged_columns(component)
    local has_columns = component and component.kind == "component"
    local columns = has_columns and C.world_spawn_block_columns(W, block, component.id, 0) or nil
    if columns == nil then
      return false
    end
    inner[component.name] = column.create_strict_table(component.name, "field")
    column.add_proxies(inner[component.name], component.fields, component.name, function(field)
      if field.derived then
        return nil -- the world calculates derived fields, after the rows have been added
      end
      local is_marked = columns.stored_count > columns.column_count
      local marks = is_marked and columns.data[columns.column_count + field.column] or nil
      local label = component.name .. "." .. field.name
      return add_proxy(columns.data[field.column], value.with_clamping(field), label, marks)
    end)
    return true
  end
  view, inner = column.create_strict_tables(function(name)
    if rawget(inner, "count") == 0 then
      report.raise("the columns of world.spawn_many can be used only in the function that is passed to it")
    elseif create_staged_columns(components.by_name[name]) then
      return rawget(inner, name)
    end
    fail_missing_component(name, create_staged_columns)
  end, function(name)
    report.raise("q.%s cannot be assigned: write to an element of a column", report.show(name))
  end)
  function add_proxy(data, field, label, marks)
    local rows = ffi.new("column_view_t", data, nil, count, 0, marks)
    views[#views + 1] = rows
    return column.create_proxy(ffi.cast("column_view_t *", rows), field, label, "direct", false, rows, marks ~= nil)
  end
  inner.count = count
  local ids = C.world_spawn_block_entities(W, block)
  inner.entity = add_proxy(ids, { name = "entity", type = "entity", read_only = true }, "entity")
  return view, inner, views
end

-- Calls `fill` with a view of the block and then closes the view, even after an error. Returns the error, or nil on
-- success.
local function fill_block(block, count, fill)
  local view, inner, views = create_block_view(block, count)
  local ok, problem = protected_call.call(fill, view)
  inner.count = 0
  for _, column_view in ipairs(views) do
    column_view.count = 0
  end
  return not ok and problem or nil
end

-- Spawns `count` entities and calls `fill` to write their columns. Returns their ids (base/handle_list.lua).
local function spawn_filled(assemblage_id, count, fill)
  local block = C.world_spawn_block_begin(W, assemblage_id, count, abi.error)
  if block == 0 then
    report.raise("world.spawn_many: %s", abi.get_error_text())
  end
  local problem = fill_block(block, count, fill)
  changing("world.spawn_many") -- also closes queries that the function may have left open
  if problem then
    C.world_spawn_block_abort(W, block)
    error(problem, 0)
  end
  local staged_ids = C.world_spawn_block_entities(W, block)
  if staged_ids == nil then
    report.raise("world.spawn_many: the system that called it has ended")
  end
  -- Must follow the call to `fill`, which may spawn entities and so use the same array.
  local id_buffer = handle_list.reserve_ids(count)
  ffi.copy(id_buffer.ids, staged_ids, 4 * count)
  C.world_spawn_block_commit(W, block)
  return id_buffer
end

local function spawn_plain(assemblage_id, count)
  local id_buffer = handle_list.reserve_ids(count)
  if C.world_spawn_many(W, assemblage_id, count, id_buffer.ids, abi.error) == 0 then
    report.raise("world.spawn_many: %s", abi.get_error_text())
  end
  return id_buffer
end

local MAX_SPAWNED = 4194303

function world.spawn_many(name, count, fill)
  changing("world.spawn_many")
  name = scope.name("assemblage", name)
  local assemblage_id = find_assemblage_id(name, "world.spawn_many")
  if type(count) ~= "number" or not (count >= 0 and count <= MAX_SPAWNED) or count % 1 ~= 0 then
    report.raise("world.spawn_many: count must be an integer from 0 to %d, got %s", MAX_SPAWNED, report.describe(count))
  elseif fill ~= nil and type(fill) ~= "function" then
    report.raise("world.spawn_many: expected a function that fills the columns, got %s", report.describe(fill))
  elseif count == 0 then
    return {}
  elseif states.get_tree(name) then
    report.raise("world.spawn_many: cannot spawn %s, because its initial states call a function for each entity: use "
      .. "world.spawn", name)
  end
  local id_buffer = fill and spawn_filled(assemblage_id, count, fill) or spawn_plain(assemblage_id, count)
  local list = handle_list.create_list(id_buffer, count)
  entity.fill_tilemaps()
  return list
end

world.define = definitions.define

-- --- lookup

function world.alive(e)
  local id = handle.get_id(e)
  return id ~= nil and handle.stays_alive(id)
end

-- Returns the number of rows of a component, including rows of disabled entities: one row per entity, or per instance
-- of a `many` component. If only an assemblage has the name, returns the number of the assemblage's living entities.
function world.count(name)
  phases.check("world.count")
  local component, resolved = components.by_name[name], assemblage.resolved[name]
  if component and (component.kind ~= "single" or not resolved) then
    return component.manager.count
  elseif resolved then
    return C.world_assemblage_alive_count(W, text.find(resolved.name))
  end
  report.raise("world.count: unknown assemblage or component %s%s", report.show(name),
    components.renamed[name] and components.hint(name) or assemblage.former[name] and assemblage.hint(name)
      or report.hint(name,
        report.find_nearest(name, assemblage.resolved) and assemblage.resolved or components.by_name))
end

-- Returns the first entity with this name; nil if no entity has it.
function world.find(name)
  phases.check("world.find")
  if type(name) ~= "string" then
    report.raise("world.find: expected a name, got %s", report.describe(name))
  end
  local id = components.find_entity(name)
  return id and handle.handle(id)
end

local function open_query(declaration, caller, inspects)
  phases.check(caller)
  return pair_query.query(declaration, caller, require_component, inspects)
end

function world.query(declaration)
  return query.open_until_change(open_query(declaration, "world.query"))
end

-- Implements `for e in world.each("health", "motion")`: iterates over the entities that match when the loop starts, and
-- skips entities that are destroyed during the loop. Only the rare path uses `...`, because LuaJIT does not compile it.
function world.each(a, b, c, d, ...)
  phases.check("world.each")
  local is_short = type(a) == "string" and select("#", ...) == 0
  local record = is_short and pair_query.find_plain(query.is_inspecting(), a, b, c, d)
    or open_query(type(a) == "table" and a or { a, b, c, d, ... }, "world.each")
  return entity_iterators.iterate(record.query)
end

-- Functions that return the entities that refer to an entity, and the targets of its pairs (world/relation.lua).
world.who_targets, world.targets = relation.who_targets, relation.targets

world.changes = observers.changes

function world.lookup(name)
  phases.check("world.lookup")
  local lookup = components.lookup[name]
  if not lookup then
    require_component(name)
    report.raise("world.lookup: the world has no component %s", report.show(name))
  end
  return lookup
end

function world.emit(name, values)
  changing("world.emit")
  if not event.is_public(name) then
    report.raise("world.emit: unknown event %s%s", report.show(name), event.hint(name))
  end
  event.emit(name, values)
end

-- Emits `count` events with the same name. As in world.spawn_many, fill(ev) writes their columns: ev.a[i] = ….
function world.emit_many(name, count, fill)
  changing("world.emit_many")
  if not event.is_public(name) then
    report.raise("world.emit_many: unknown event %s%s", report.show(name), event.hint(name))
  elseif type(count) ~= "number" or not (count >= 0 and count <= 2 ^ 24) or count % 1 ~= 0 then
    report.raise("world.emit_many: count must be an integer from 0 to %d, got %s", 2 ^ 24, report.describe(count))
  elseif type(fill) ~= "function" then
    report.raise("world.emit_many: expected a function that fills the columns, got %s", report.describe(fill))
  elseif count > 0 then
    event.emit_many(name, count, fill)
  end
end

-- --- delayed changes

-- Emits the event after `seconds`. Returns the timer, an entity that world.cancel accepts.
function world.after(seconds, name, values)
  changing("world.after")
  return world.spawn(nil, {
    [components.find_builtin("timer").name] = timers_and_tweens.create_timer(seconds, name, values),
  })
end

function world.cancel(e)
  changing("world.cancel")
  return timers_and_tweens.cancel(e)
end

timers_and_tweens.spawn = world.spawn

-- Tweens a number or vector field to `to`. `e`: the entity, or world.single for a field of a singleton. If `to` is nil,
-- stops the tween at its current value.
function world.tween(e, path, to, seconds, ease, options)
  changing("world.tween")
  timers_and_tweens.tween(e, path, to, seconds, ease, options)
end

-- Returns an object for reading and setting the cells of an entity's tilemap.
world.tiles = tiles.get_tilemap

-- Returns the entities whose bodies overlap a circle, the nearest one first. `list`: a table to fill instead of a new
-- table. While a system runs, all spatial queries see the bodies as they were when the system started.
function world.near(x, y, radius, mask, list)
  phases.check("world.near")
  return spatial_queries.near(x, y, radius, mask, list)
end

-- Returns the number of entities that world.near returns.
function world.near_count(x, y, radius, mask)
  phases.check("world.near_count")
  return spatial_queries.near_count(x, y, radius, mask)
end

function world.nearest(x, y, mask)
  phases.check("world.nearest")
  return spatial_queries.nearest(x, y, mask)
end

-- Returns the k entities whose bodies are nearest to a point, the nearest one first.
function world.nearest_many(x, y, k, mask, list)
  phases.check("world.nearest_many")
  return spatial_queries.nearest_many(x, y, k, mask, list)
end

-- Returns the entities whose bodies overlap an axis-aligned box.
function world.box(x1, y1, x2, y2, mask, list)
  phases.check("world.box")
  return spatial_queries.box(x1, y1, x2, y2, mask, list)
end

-- Returns the first entity whose body a segment enters, the coordinates of the entry point, and the surface normal
-- there (nx, ny); nil if the segment enters no body. If `stops` is true, solid tiles count as well: if the segment
-- enters a tile first, returns the entity of the tilemap.
function world.ray(x1, y1, x2, y2, mask, stops)
  phases.check("world.ray")
  return spatial_queries.ray(x1, y1, x2, y2, mask, stops)
end

function world.random(a, b)
  phases.check("world.random")
  if a == nil then
    return (C.random_unit(abi.random))
  end
  if b == nil then
    a, b = 1, a
  end
  if type(a) ~= "number" or type(b) ~= "number" or b < a then
    report.raise("world.random(%s, %s): expected two numbers, the smaller one first", report.show(a), report.show(b))
  elseif a % 1 == 0 and b % 1 == 0 then
    return a + math.floor(C.random_unit(abi.random) * (b - a + 1))
  end
  return a + C.random_unit(abi.random) * (b - a)
end

function world.hash()
  phases.check("world.hash")
  local hash = C.world_hash(W)
  return string.format("%08x%08x", tonumber(hash / 2 ^ 32 % 2 ^ 32), tonumber(hash % 2 ^ 32))
end

-- --- requests to the host

-- Returns the bit of a player in a match, for a function that acts on the player's machine. Raises an error if `player`
-- is not a player's number.
---@param name string the function's name
---@param player any
---@return integer
local function get_player_mask(name, player)
  local max = state.get_max_player()
  if type(player) ~= "number" or player % 1 ~= 0 or player < 1 or player > max then
    report.raise("%s: in a match, the player must be a number from 1 to %d, got %s: pass the player who pressed the "
      .. "button, %s(ev.player[i])", name, max, report.describe(player), name)
  end
  return bit.lshift(1, player - 1)
end

-- Quits at the end of the tick. world.quit(false) cancels a request to quit in this tick, whether it was made by
-- world.quit() or by closing the window. In the simulation of a match, a request to quit would end the program on all
-- machines. The function therefore asks the player on the player's own machine whether to leave the match.
---@param request? boolean|integer
function world.quit(request)
  phases.check("world.quit")
  if phases.is_in_match() and phases.is_simulating() then
    abi.requests.quit_of = bit.bor(abi.requests.quit_of, get_player_mask("world.quit", request))
    return
  end
  local is_player = type(request) == "number" and request % 1 == 0 and request >= 0
    and request <= state.get_max_player()
  if request ~= nil and type(request) ~= "boolean" and not is_player then
    report.raise("world.quit: expected no argument, a player, or false to cancel a request to quit, got %s",
      report.describe(request))
  end
  abi.requests.quit = request == false and -1 or 1
end

-- Restarts the game with a new world at the end of the tick. A replay ignores this.
function world.restart()
  changing("world.restart")
  if room.get_name() then
    report.raise("world.restart: the room %s of a served world cannot restart: enter its first scene with "
      .. "world.scene(…)", room.get_name())
  end
  abi.requests.restart = true
end

function world.pause(should_pause)
  phases.check("world.pause")
  abi.requests.pause = should_pause == false and -1 or 1
end

-- Returns true if the game is paused. A call to world.pause takes effect at the end of the current tick or frame.
---@return boolean
function world.is_paused()
  phases.check("world.is_paused")
  return native.is_paused()
end

-- --- SQL

-- Runs an SQL query. Returns a list of rows, each a table by column name. Entities are handles, boolean fields are
-- booleans, and NULL is nil. A chunk from --exec or the console may also write; the second result is then the number of
-- changed rows.
function world.sql(statement, ...)
  phases.check("world.sql")
  if type(statement) ~= "string" then
    report.raise("world.sql: expected a string, got %s", report.describe(statement))
  end
  if state.outside then
    changing("world.sql")
  end
  local rows, problem = native.sql(statement, state.outside, { ... }, select("#", ...))
  if not rows then
    report.raise("world.sql: %s", problem)
  end
  return rows, state.outside and problem or nil
end

-- Pauses the game at the end of the first tick in which the SQL query returns a row. With `is_enabled` = false, removes
-- the watch for this query.
function world.watch(statement, is_enabled)
  phases.check("world.watch")
  watches.set(statement, is_enabled ~= false)
end

local MAX_GHOSTS, MAX_GHOST_TICKS = 256, 3600

local function list_ghost_entities(selection)
  if handle.get_id(selection) then
    return { selection }
  elseif type(selection) ~= "table" then
    report.raise("world.ghosts: expected a name, an entity, a list of entities or a query, got %s",
      report.describe(selection))
  elseif handle.get_id(selection[1]) then
    return selection
  end
  return query.list_entities(open_query(selection, "world.ghosts", true))
end

-- Draws the predicted paths of entities: world.ghosts("asteroid", 120) for the next 120 ticks. `selection` is a name
-- (of an assemblage, a component or entities), an entity, a list of entities, or a query. Each call adds paths; without
-- arguments, removes all paths.
function world.ghosts(selection, ticks)
  phases.check("world.ghosts")
  ticks = ticks or 120
  if type(ticks) ~= "number" or not (ticks >= 1 and ticks <= MAX_GHOST_TICKS) or ticks % 1 ~= 0 then
    report.raise("world.ghosts: ticks must be an integer from 1 to %d, got %s", MAX_GHOST_TICKS,
      report.describe(ticks))
  end
  if selection == nil or selection == false then
    if abi.session then
      C.history_abi_show_trails(abi.session, "", nil, 0, 0)
    end
    return
  end
  local list = type(selection) == "string" and {} or list_ghost_entities(selection)
  local count = math.min(#list, MAX_GHOSTS)
  local ids = ffi.new("shoal_entity[?]", count + 1)
  for i = 1, count do
    ids[i - 1] = handle.get_id(list[i]) or report.raise("world.ghosts: element %d of the list must be an entity", i)
  end
  if abi.session then
    C.history_abi_show_trails(abi.session, type(selection) == "string" and selection or "", ids, count, ticks)
  end
end

world.snapshot, world.restore, world.compare = snapshot.take, snapshot.restore, snapshot.compare
world.past, world.timeline = snapshot.past, snapshot.describe_timeline

-- --- the screen

local point, camera_id = ffi.new("double[2]"), ffi.new("shoal_entity[1]")

local function convert_point(caller, x, y, camera, back)
  phases.check(caller)
  for name, v in pairs { x = x or false, y = y or false } do
    if type(v) ~= "number" then
      report.raise("%s: %s must be a number, got %s", caller, name, report.describe(v or nil))
    end
  end
  local id = camera ~= nil and handle.get_id(camera)
  if camera ~= nil and not id then
    report.raise("%s: expected a camera entity or nil, got %s", caller, report.describe(camera))
  end
  local game = state.config
  point[0], point[1], camera_id[0] = x, y, id or 0
  local view_players = state.is_drawing() and C.world_view_players(W) or 0
  if not C.viewport_project(W, game.width, game.height, view_players, back, point, camera_id) then
    report.raise("%s: %s must be an active camera with a visible view", caller, components.format_title(id))
  end
  return point[0], point[1]
end

-- Returns the screen position of a world point in logical pixels. If `camera` is nil, uses the bottommost visible
-- camera.
function world.to_screen(x, y, camera)
  return convert_point("world.to_screen", x, y, camera, false)
end

-- Returns the world position of a screen point, and the camera used (nil if no camera is visible). If `camera` is nil,
-- uses the topmost visible camera at that point or, if no camera covers the point, the bottommost camera.
function world.from_screen(x, y, camera)
  x, y = convert_point("world.from_screen", x, y, camera, true)
  return x, y, camera_id[0] ~= 0 and handle.handle(camera_id[0]) or nil
end

-- --- the table that scripts see

local function describe_unknown_single(name)
  local singles = {}
  for component_name, component in pairs(components.by_name) do
    singles[component_name] = component.kind == "single" or nil
  end
  local hint = report.suggest(name, singles)
  local declaration_hint = string.format("; declare it in components.lua: %s = shoal.types.single { value = 0 }",
    report.show(name))
  return string.format("unknown singleton %s%s; available: %s%s", report.show(name), hint, report.join_names(singles),
    components.by_name[name] and string.format("; %s is a component: every entity has its own", name)
      or hint == "" and declaration_hint or "")
end

local singles = setmetatable({}, {
  __index = function(_, name)
    local single = components.single[name]
    if single then
      return single
    end
    phases.check("world.single")
    report.raise("%s", describe_unknown_single(name))
  end,
  __newindex = function(_, name)
    report.raise("world.single.%s cannot be assigned: write one of its fields", report.show(name))
  end,
  __metatable = false,
})
timers_and_tweens.singles = singles

local function list_member_names()
  local names = { "room", "single", "tick", "time" }
  for name in pairs(world) do
    names[#names + 1] = name
  end
  return names
end

local api = setmetatable({}, {
  __index = function(_, name)
    local member = world[name]
    if member then
      return member
    elseif name == "single" then
      return singles
    elseif name == "room" then
      phases.check("world.room")
      return room.get_name()
    elseif name == "tick" or name == "time" then
      phases.check(name == "tick" and "world.tick" or "world.time")
      local tick = C.view_tick(W)
      return name == "tick" and tick or tick / C.world_tick_rate(W)
    end
    report.raise("world has no %s%s; available: %s, room, single, tick, time", report.show(name),
      api_hints.suggest("world", name, list_member_names()), report.join_names(world))
  end,
  __newindex = function(_, name)
    report.raise("world.%s cannot be assigned: keep it in a singleton, world.single.%s, declared in "
      .. "components.lua", report.show(name), report.show(name))
  end,
  __metatable = false,
})
report.tables[api] = "world"

---@class engine.world
---@field api shoal.World the global `world` of game files
---@field functions table<string, function> the functions of `world`, to which many files add functions
---@field exists fun(name: any) throws unless `name` is a component that belongs to entities (not a singleton)
---@field open_query fun(declaration: any, caller: string, inspects?: boolean): engine.Query
---@field describe_unknown_single fun(name: any): string returns the message for an unknown member of world.single
---@field get_player_mask fun(name: string, player: any): integer
return { api = api, functions = world, exists = require_component, open_query = open_query,
  describe_unknown_single = describe_unknown_single, get_player_mask = get_player_mask }
