-- Chooses the queries that become groups. A group determines the row order of the components that it owns: a loop over
-- the group's query uses its index as the row of each of these components, so it needs no row map. A component can be
-- owned by only one group. The choice depends on the loaded systems alone, so a game has the same groups in every run.
-- A reload that chooses the same groups moves no rows.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local components = need("schema/component")
local system = need("systems/system")
local plugins = need("world/plugins")
local queries = need("world/query")
local relation = need("world/relation")
local world = need("world/world")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.groups
local M = {}

local function format_terms(terms)
  local names_by_role = { with = {}, without = {}, any = {}, optional = {} }
  for _, term in ipairs(terms) do
    table.insert(names_by_role[term.role], term.name)
  end
  local out = { table.concat(names_by_role.with, ", ") }
  for _, role in ipairs { "without", "any", "optional" } do
    if names_by_role[role][1] then
      out[#out + 1] = role .. " " .. table.concat(names_by_role[role], ", ")
    end
  end
  return "{ " .. table.concat(out, "; ") .. " }"
end

-- Returns the names of the components that a group of these terms would own, or nil and the reason why the query cannot
-- be a group.
local function list_owned(terms)
  local names, is_narrowed = {}, false
  for _, term in ipairs(terms) do
    local kind = components.by_name[term.name].kind
    if term.role == "with" and kind == "many" then
      return nil, term.name .. " has several rows per entity"
    elseif term.role == "with" then
      names[#names + 1] = term.name
    elseif term.role == "without" then
      is_narrowed = true
    end
  end
  if #names == 0 then
    return nil, "no component is required in every row"
  elseif #names == 1 and not is_narrowed then
    return nil, "all rows of " .. names[1] .. " match, in any order"
  end
  return names
end

local function to_address(query)
  return tonumber(ffi.cast("uintptr_t", query))
end

-- Returns the query of a plugin's system, or nil if the query has no terms, is invalid or names an unknown component.
local function intern_plugin(plugin_system)
  for _, term in ipairs(plugin_system.terms) do
    if not components.by_name[term.name] then
      return nil
    end
  end
  -- An invalid query is ignored here, because plugin_bind_run reports it.
  local ok, record = pcall(queries.intern, plugin_system.terms)
  return #plugin_system.terms > 0 and ok and record or nil
end

-- Returns the queries of all systems, each once: { query, names, title, singles, users }. `names`: components that a
-- group would own; `users`: number of systems with a body; `singles`: number of systems in single precision. Systems of
-- plugins count as single precision: they are C loops, which gain as much from groups.
local function list_candidates()
  local out, by_address = {}, {}
  local function add(record, users, singles)
    local query = record.base or record.query
    local address = to_address(query)
    local candidate = by_address[address]
    if not candidate then
      candidate = { query = query, names = list_owned(record.terms), title = format_terms(record.terms), singles = 0,
        users = 0 }
      by_address[address] = candidate
      out[#out + 1] = candidate
    end
    candidate.users = candidate.users + users
    candidate.singles = candidate.singles + singles
  end
  for _, entry in ipairs(system.list) do
    for _, record in ipairs(entry.records) do
      add(record, entry.body and 1 or 0, entry.declaration.precision and 1 or 0)
    end
  end
  for _, name in ipairs(sorted_keys(plugins.systems)) do
    local record = intern_plugin(plugins.systems[name])
    if record then
      add(record, 1, 1)
    end
  end
  return out
end

-- Returns true if candidate `a` is chosen before `b`: it has more systems in single precision or of plugins; if equal,
-- more systems with a body; if equal, more components. Ties are broken by title.
local function is_before(a, b)
  if a.singles ~= b.singles then
    return a.singles > b.singles
  elseif a.users ~= b.users then
    return a.users > b.users
  elseif #a.names ~= #b.names then
    return #a.names > #b.names
  end
  return a.title < b.title
end

local groups = {} -- address of a query → title of its group
local conflicts = {} -- address of a query that is not a group → the contested component and the group that owns it

local function choose_groups()
  local candidates, owners = {}, {}
  for _, candidate in ipairs(list_candidates()) do
    if candidate.names and candidate.users > 0 then
      candidates[#candidates + 1] = candidate
    end
  end
  table.sort(candidates, is_before)
  groups, conflicts = {}, {}
  local chosen = {}
  for _, candidate in ipairs(candidates) do
    local conflict
    for _, name in ipairs(candidate.names) do
      conflict = conflict or owners[name] and { name = name, group = owners[name] }
    end
    if conflict then
      conflicts[to_address(candidate.query)] = conflict
    else
      chosen[#chosen + 1] = candidate
      groups[to_address(candidate.query)] = candidate.title
      for _, name in ipairs(candidate.names) do
        owners[name] = candidate.title
      end
    end
  end
  return chosen
end

-- Turns the chosen queries into groups, and dissolves all other groups.
function M.apply()
  local chosen = choose_groups()
  for id = 1, C.world_query_count(W) do
    local query = C.world_query_by_id(W, id)
    if C.view_query_is_grouped(query) and not groups[to_address(query)] then
      C.world_ungroup_query(W, query)
    end
  end
  for _, candidate in ipairs(chosen) do
    if not C.world_group_query(W, candidate.query, abi.error) then
      report.raise("the group %s: %s", candidate.title, abi.get_error_text())
    end
  end
end

-- --- world.explain

local function describe_access(record, term, names, no_group_reason)
  local component, query = components.by_name[term.name], record.query
  local owner = C.view_row_group(component.manager)
  if term.role == "without" then
    return "absent", "entities with the component are excluded"
  elseif term.role == "with" and C.view_query_is_grouped(query) and owner == query then
    return "group", "this query's group owns its rows: the loop index is the row"
  elseif term.role == "with" and C.view_query_is_aligned(query, component.id) then
    return "aligned", "the component's rows are in the query's order: the loop index is the row"
  elseif term.role ~= "with" then
    return "row map", "not every entity has the component"
  elseif not names then
    return "row map", "the query cannot be a group: " .. no_group_reason
  elseif owner ~= nil then
    return "row map", "the group " .. (groups[to_address(owner)] or "of another query") .. " owns its rows"
  end
  local conflict = conflicts[to_address(query)]
  if conflict then
    return "row map", "the query would be a group, but " .. conflict.name .. " belongs to the group " .. conflict.group
  end
  return "row map", "no system with a body loops over this query"
end

local function print_explanation(self)
  local out = { string.format("query %s: %d entities, %s, %.0f bytes of indices", self.query, self.entities,
    self.group and "a group" or "no group", self.bytes) }
  for _, part in ipairs(self.components) do
    local requires = part.requires and "; requires " .. table.concat(part.requires, ", ") or ""
    out[#out + 1] = string.format("  %-8s %-16s %-8s %s%s", part.role, part.name, part.way, part.why, requires)
  end
  return table.concat(out, "\n")
end

-- Implements world.explain: returns how the columns of a query are accessed, as { query, entities, group, bytes,
-- components = { { name, role, way, why, bytes, requires } } }. tostring converts the result to a description for
-- users.
function world.functions.explain(declaration)
  phases.check("world.explain")
  local terms = queries.read(declaration, "world.explain", world.exists, relation.read_pair)
  if terms.pairs then
    report.raise("world.explain: a query over pairs reads every column through a row map, because its rows are "
      .. "the referrers of one entity")
  end
  local record = queries.intern(terms, true)
  record = queries.find_system_query(record) or record
  local query = record.query
  local names, no_group_reason = list_owned(record.terms)
  local out = { query = format_terms(record.terms), entities = query.count, group = C.view_query_is_grouped(query),
    bytes = C.view_query_bytes(query), components = {} }
  for i, term in ipairs(record.terms) do
    local access, reason = describe_access(record, term, names, no_group_reason)
    out.components[i] = { name = term.name, role = term.role, way = access, why = reason,
      requires = components.by_name[term.name].requires and { unpack(components.by_name[term.name].requires) },
      bytes = access == "row map" and 4 * query.count or 0 }
  end
  return setmetatable(out, { __tostring = print_explanation })
end

return M
