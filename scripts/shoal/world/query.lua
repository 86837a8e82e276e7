-- Queries in scripts: q.count, q.entity[i], q.transform.x[i], q.has.shield[i]. The query itself belongs to the world;
-- this VM stores its address in a record (engine.Query), and scripts get only the record's `view`.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local state = need("base/vm_state")
local column = need("schema/column")
local components = need("schema/component")
local schema = need("schema/schema")
local relation = need("world/relation")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.Term
---@field name string the component's name
---@field pairs? table[] only in the list of terms, not in its elements: the query's pairs (world/relation.lua)
---@field role "with"|"without"|"any"|"optional"

---@class engine.Query an interned query, as this VM sees it
---@field query C.query_o
---@field terms engine.Term[]
---@field shown table<string, string> component → the component's name in the view
---@field view shoal.View
---@field inner table inner table of `view`, which scripts cannot access
---@field version integer version of the query's row layout (C.view_query_version) for which the columns were created
---@field depth integer number of nested opens; 0: closed
---@field pairs? boolean true if the query is over pairs (world/relation.lua)
---@field base? C.query_o the query without pairs
---@field aimed? boolean true for a system's query over pairs, whose targets are looked up each time it is opened
---@field frozen boolean true if the columns are read-only
---@field proxies table<string, engine.Column>
---@field ids ffi.cdata* const int32_t *const *: address of the pointer to the query's entity ids
---@field maps ffi.cdata* view_map_t[?]: row maps for accessors in loops, one per component with one row per entity
---@field map_count integer length of `maps`

---@class engine.query
---@field methods table<string, fun(record: engine.Query, ...): any>
local M = {}
local ROLES = { with = 0, without = 1, any = 2, optional = 3 }
-- Keys of a query that do not denote a pair.
M.ROLES = { with = true, without = true, any = true, optional = true, without_disabled = true }

local function add_term(terms, name, role, caller, check_component)
  if type(name) ~= "string" then
    report.raise("%s: component names in a query must be strings, got %s", caller, report.describe(name))
  end
  check_component(name)
  local component = components.by_name[name]
  terms[#terms + 1] = { name = component and component.name or name, role = role }
end

local function is_before(a, b)
  if a.role ~= b.role then
    return ROLES[a.role] < ROLES[b.role]
  end
  return a.name < b.name
end

-- Parses { "transform", "motion", without = { "frozen" }, any = …, optional = … } into a list of terms, sorted by role
-- and name.
---@param declaration any
---@param caller string name of the calling function, which begins messages
---@param check_component fun(name: string) throws if the component is unknown
---@param read_pair fun(name: string, target: any, caller: string): table reads the pair likes = apples (relation.lua)
---@return engine.Term[]
function M.read(declaration, caller, check_component, read_pair)
  local terms, pairs_read = {}, {}
  if type(declaration) ~= "table" then
    report.raise("%s: a query must be a list of component names, got %s", caller, report.describe(declaration))
  end
  for _, name in ipairs(declaration) do
    add_term(terms, name, "with", caller, check_component)
  end
  for role, names in pairs(declaration) do
    if role == "without_disabled" then
      if type(names) ~= "boolean" then
        report.raise("%s: without_disabled must be a boolean, got %s", caller, report.describe(names))
      elseif not names then
        -- A query with this term also finds disabled entities and components (ecs/query.h).
        terms[#terms + 1] = { name = "disabled", role = "optional" }
      end
    elseif type(role) == "string" and not ROLES[role] and components.by_name[role] then
      for _, target in ipairs(type(names) == "table" and names or { names }) do
        pairs_read[#pairs_read + 1] = read_pair(role, target, caller)
      end
    elseif type(role) == "string" then
      if not ROLES[role] or role == "with" then
        local hint = report.suggest(role, { "without", "any", "optional", "without_disabled" })
        report.raise("%s: a query has no field %s%s; available: without, any, optional, without_disabled", caller, role,
          hint ~= "" and hint or report.suggest(role, components.by_name))
      end
      for _, name in ipairs(type(names) == "table" and names or { names }) do
        add_term(terms, name, role, caller, check_component)
      end
    end
  end
  if #pairs_read > 0 then
    relation.add_terms(pairs_read, terms, caller)
    terms.pairs = pairs_read
  end
  table.sort(terms, is_before)
  if #terms == 0 then
    report.raise("%s: the query is empty: to select all entities, name a component that all of them have", caller)
  end
  return terms
end

M.methods = {} -- view methods: name → function(record, …); extended by world/bulk_changes.lua
M.pair_methods = {} -- like M.methods, for views of queries over pairs; extended by world/pair_query.lua
local records = {}  -- add-on (false: the game) → address of the query in C, as a number → engine.Query
local open_queries = {} -- queries opened by M.open_until_change

local uintptr = ffi.typeof("uintptr_t")

local function to_address(pointer)
  return tonumber(ffi.cast(uintptr, pointer))
end

local IS_ENTITY_METHOD = {}
for _, method in ipairs(schema.entity_methods) do
  IS_ENTITY_METHOD[method] = true
end

-- Returns a component's name in a query's view: an add-on's own components have their plain names.
---@param name string
---@return string
function M.find_name_in_view(name)
  local addon = scope.current
  local plain_name = addon and name:sub(1, #addon.prefix) == addon.prefix and name:sub(#addon.prefix + 1)
  return plain_name and (addon.names.component or {})[plain_name] and plain_name or name
end

-- Raises the error for an unknown member of a query's view. `shown_names` maps each component to its name in the view.
---@param name any
---@param terms engine.Term[]
---@param shown_names table<string, string>
function M.fail_unknown_member(name, terms, shown_names)
  local names = {}
  for _, term in ipairs(terms) do
    if term.role ~= "without" then
      names[#names + 1] = shown_names[term.name]
    end
  end
  if IS_ENTITY_METHOD[name] then
    report.raise("the query has no component %s, and %s is a method of entities: use q.entity[i]:%s(…), or a "
      .. "system with each = function(e, dt)", name, name, name)
  end
  if type(name) == "number" then
    report.raise("q[%s]: the row index comes last: use q.transform.x[i], or q.entity[i]", report.show(name))
  end
  local members = { "count", "entity", "has", unpack(names) }
  local hint = report.find_nearest(name, members) and report.suggest(name, members)
    or components.suggest_member(name, "q", names)
  report.raise("the query has no component %s%s; available: %s", report.show(name), hint,
    table.concat(names, ", "))
end

local row_maps, id_lists = ffi.typeof("view_map_t[?]"), ffi.typeof("const int32_t *const *")
local ENTITIES_OFFSET = ffi.offsetof("query_o", "entities")

local function create_record(query, terms)
  local shown_names = {} -- component → its name in the view
  for _, term in ipairs(terms) do
    shown_names[term.name] = M.find_name_in_view(term.name)
  end
  local view, inner = column.create_strict_tables(function(name)
    M.fail_unknown_member(name, terms, shown_names)
  end, function(name)
    report.raise("q.%s cannot be assigned: write to an element of a column; keep lasting values in components and "
      .. "singletons", report.show(name))
  end)
  local entity_field = { name = "entity", type = "entity", read_only = true }
  inner.count = 0
  inner.entity = column.create_proxy(query.entity_view, entity_field, "entity", "direct")
  local record = { query = query, terms = terms, shown = shown_names, view = view, inner = inner, version = -1,
    depth = 0,
    ids = ffi.cast(id_lists, ffi.cast("const char *", query) + ENTITIES_OFFSET),
    frozen = false, proxies = {}, maps = row_maps(0), map_count = 0 }
  for name, method in pairs(terms.pairs and M.pair_methods or M.methods) do
    inner[name] = function(_, ...)
      return method(record, ...)
    end
  end
  return record
end

-- Adds the columns of a term to its table. Columns of derived numbers are computed when a script reads one of them.
local function add_term_columns(record, term, component, columns, is_mapped)
  local query, derived_numbers = record.query, {}
  column.add_proxies(columns, component.fields, term.name, function(field)
    local key = term.name .. "." .. field.name .. (is_mapped and "m" or "d") .. (record.frozen and "f" or "o")
    local proxy = record.proxies[key]
    if not proxy then
      local column_view = C.view_query_column(query, component.id, field.column, is_mapped)
      proxy = column.create_proxy(column_view, field, term.name .. "." .. field.name, is_mapped and "mapped"
        or "direct",
        record.frozen, nil, true)
      record.proxies[key] = proxy
    end
    if field.derived and field.type ~= "mat4" then
      derived_numbers[field.name] = proxy
      return nil
    end
    return proxy
  end)
  if next(derived_numbers) then
    column.set_derived(columns, derived_numbers, function()
      C.query_compute_derived(query, component.id)
    end)
  end
end

-- Creates the columns of the view. Called again whenever a component's rows become aligned or need a row map, or when
-- the columns become read-only for drawing or writable again.
local function create_columns(record)
  local query, inner = record.query, record.inner
  local has
  local maps = {}
  for _, term in ipairs(record.terms) do
    if term.role ~= "without" then
      local component = components.by_name[term.name]
      local shown_name = record.shown[term.name]
      local columns = rawget(inner, shown_name) or column.create_strict_table(term.name, "field")
      local is_mapped = term.role ~= "with" or not C.view_query_is_aligned(query, component.id)
      add_term_columns(record, term, component, columns, is_mapped)
      inner[shown_name] = columns
      if component.kind == "component" and (not is_mapped or #component.fields > 0) then
        maps[#maps + 1] = { component.map_anchor,
          is_mapped and C.view_query_column(query, component.id, 0, true) or nil }
      end
      if term.role ~= "with" then
        has = has or rawget(inner, "has") or column.create_strict_table("q.has", "optional component")
        if not rawget(column.get_contents(has), shown_name) then
          column.get_contents(has)[shown_name] = column.create_presence(C.view_query_presence(query, component.id),
            "q.has." .. term.name)
        end
      end
    end
  end
  if has then
    inner.has = has
  end
  record.maps, record.map_count = row_maps(#maps, maps), #maps
end

local function get_record(query, terms, base)
  local key, addon = to_address(query), scope.current
  records[addon] = records[addon] or {}
  local record = records[addon][key]
  if not record then
    record = create_record(query, terms)
    record.pairs, record.base = base ~= nil, base
    record.aimed = base ~= nil and not terms.pairs[1].target
    records[addon][key] = record
  end
  return record
end

local uint32s = ffi.typeof("uint32_t[?]")

-- Returns true for code that must not change the world or that a user calls: drawing, panels, the console. Such code
-- uses inspection queries (ecs/query.h), because system queries are part of the world's state.
---@return boolean
function M.is_inspecting()
  return state.read_only or state.phase == "console" or state.phase == "action"
end

-- Returns the record of the query for terms from M.read: the interned query of systems, or an inspection query.
---@param terms engine.Term[]
---@param is_inspection? boolean true for an inspection query
---@return engine.Query
function M.intern(terms, is_inspection)
  local managers, roles = ffi.new(uint32s, #terms), ffi.new(uint32s, #terms)
  for i, term in ipairs(terms) do
    managers[i - 1] = components.by_name[term.name].id
    roles[i - 1] = ROLES[term.role]
  end
  local query = (is_inspection and C.view_inspection or C.view_query)(W, managers, roles, #terms, abi.error)
  if query == nil then
    report.raise("%s", abi.get_error_text())
  end
  if terms.pairs then
    return M.restrict_to_pairs(query, terms)
  end
  return get_record(query, terms)
end

-- Returns the record of the system query that has the same terms as an inspection query; nil if no system has a query
-- with these terms.
---@param record engine.Query record of the inspection query
---@return engine.Query?
function M.find_system_query(record)
  local query = C.view_system_query(record.query)
  return query ~= nil and get_record(query, record.terms) or nil
end

-- Returns the record of the query `base` restricted to the pairs in `terms.pairs`.
---@param base C.query_o
---@param terms engine.Term[]
---@return engine.Query
function M.restrict_to_pairs(base, terms)
  return get_record(relation.query(base, terms.pairs), terms, base)
end

---@param record engine.Query
---@return shoal.View
function M.open(record)
  if record.aimed and record.depth == 0 then
    relation.update_targets(record)
  end
  if record.pairs then
    C.pair_query_open(record.query)
  else
    C.query_open(record.query)
  end
  record.depth = record.depth + 1
  local version = C.view_query_version(record.query)
  if version ~= record.version or record.frozen ~= state.read_only then
    record.version, record.frozen = version, state.read_only
    create_columns(record)
  end
  record.inner.count = record.query.count
  return record.view
end

local iterated_query ---@type engine.Query? the query that a loop iterates over

-- Sets the open query that a loop iterates over, so that accessors of its entities find their rows through the row maps
-- of the query. Returns the previous query.
---@param record? engine.Query nil: no loop
---@return engine.Query? outer
function M.set_iterated(record)
  local previous = iterated_query
  if previous then
    C.view_clear_maps(previous.maps, previous.map_count)
  end
  if record and record.depth > 0 then
    C.view_fill_maps(record.maps, record.map_count)
  end
  iterated_query = record
  return previous
end

-- Returns true if a loop iterates over an open query.
---@return boolean
function M.is_iterating()
  return iterated_query ~= nil
end

---@param record engine.Query
function M.close(record)
  record.depth = record.depth - 1
  if record.pairs then
    C.pair_query_close(record.query)
  else
    C.query_close(record.query)
  end
  if record.depth == 0 then
    record.inner.count = 0
    if iterated_query == record then
      M.set_iterated(nil)
    end
  end
end

-- Opens a query for world.query until the calling system ends or, outside systems, until the structure of the world
-- changes.
---@param record engine.Query
---@return shoal.View
function M.open_until_change(record)
  if record.depth == 0 then
    M.open(record)
    open_queries[#open_queries + 1] = record
  end
  return record.view
end

-- Closes the queries that M.open_until_change opened.
function M.close_opened_by_scripts()
  for i = #open_queries, 1, -1 do
    M.close(open_queries[i])
    open_queries[i] = nil
  end
end
late_binding.close_queries = M.close_opened_by_scripts

-- Closes all open queries. Called after an error, which may have left a system's queries open.
function M.close_all()
  M.close_opened_by_scripts()
  for _, by_address in pairs(records) do
    for _, record in pairs(by_address) do
      while record.depth > 0 do
        M.close(record)
      end
    end
  end
end

-- Returns the current entities of a query as handles, for loops that may change the world.
---@param record engine.Query
---@return shoal.Entity[]
function M.list_entities(record)
  local out = {}
  for i = 0, record.query.count - 1 do
    out[i + 1] = handle.handle(record.query.entities[i])
  end
  return out
end

return M
