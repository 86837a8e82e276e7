-- Assemblages: templates for entities, from the game's tables to the world's column templates. `resolve` composes and checks them
-- (nothing of the world is touched); `declare` hands them to C.
--
-- A resolved template is { component name → { instance name → values } }; the instance is "" but for `many` components.
local need = ...
local abi, component, report, text, value = need("abi"), need("component"), need("report"), need("text"), need("value")
local alias, plugins, sorted = need("alias"), need("plugins"), need("sorted")
local C, W = abi.C, abi.world

local M = { resolved = {} }

local KEYS = { is = true, components = true, without = true, children = true, states = true }

-- path: the names on the way to the place, the assemblage first; a child is called "tank/turret".
local function fail(at, path, message, ...)
  local names = {}
  for part in report.plain(path[1]):gmatch("[^/]+") do
    names[#names + 1] = part
  end
  for i = 2, #path do
    names[#names + 1] = path[i]
  end
  report.fail { message = string.format(message, ...), file = at.file, line = report.line_of(at.text, unpack(names)),
    piece = "assemblage " .. path[1] }
end

-- Checks the values of one component, and gives a complaint the place of the field that it names.
local function check_values(at, path, instance, known, fields)
  local good, problem = pcall(value.each, known, fields, nil)
  if not good then
    local words, place = report.words(problem), { unpack(path) }
    place[#place + 1] = instance ~= "" and instance or nil
    place[#place + 1] = words:match("^[%w_]+%.([%w_]+)") or words:match("has no field ([%w_]+)")
    fail(at, place, "%s", words)
  end
end

-- Is `values` of a many component a set of named instances, or the fields of one without a name?
local function instances_of(known, values)
  if known.kind ~= "many" or type(values) ~= "table" then
    return { [""] = values }
  end
  for name, v in pairs(values) do
    if type(v) ~= "table" or known.by_name[name] then
      return { [""] = values }
    end
  end
  return values
end
M.instances_of = instances_of

-- The later wins, field by field.
local function merge_fields(instances, instance, fields)
  instances[instance] = instances[instance] or {}
  for field, v in pairs(fields) do
    instances[instance][field] = v
  end
end

local function merge_component(into, name, known, values)
  into[name] = into[name] or {}
  for instance, fields in pairs(instances_of(known, values)) do
    if type(fields) ~= "table" then
      local only = known.writable[1]
      fields = known.kind == "many" and fields or { [only and (only.base or only.field.name) or ""] = fields }
    end
    merge_fields(into[name], instance, fields)
  end
end

local function read_components(at, path, declared, into)
  if type(declared) ~= "table" then
    fail(at, path, "components is a table: component name → fields")
  end
  local good, expanded = pcall(alias.expand, declared, "assemblage " .. path[1])
  if not good then
    fail(at, path, "%s", report.words(expanded))
  end
  declared = expanded
  for name, values in pairs(declared) do
    local known = component.by_name[name]
    local here = { unpack(path) }
    here[#here + 1] = name
    if not known and not component.metadata[name] and not plugins.excuses(path[1] .. "." .. report.plain(name), name) then
      fail(at, here, "%s names a component %s that does not exist", path[1], report.plain(name))
    elseif known and known.kind == "single" then
      fail(at, here, "%s is a single: it belongs to no entity", name)
    end
    if known then
      if type(values) ~= "table" and (#known.writable ~= 1 or not known.writable[1].field) then
        fail(at, here, "%s takes a table of fields, not %s", name, type(values))
      end
      if type(values) ~= "table" then
        values = { [known.writable[1].field.name] = values }
      end
      for instance, fields in pairs(instances_of(known, values)) do
        check_values(at, here, instance, known, fields)
      end
      merge_component(into, name, known, values)
    end
  end
end

-- What aliases stand for in their place.
local function without_aliases(names, who)
  local out = {}
  for _, name in ipairs(names) do
    local known = alias.find(name, "assemblage " .. who)
    if not known then
      out[#out + 1] = name
    end
    for _, part in ipairs(known and known.parts or {}) do
      out[#out + 1] = part.known.name
    end
  end
  return out
end

local resolve

local function parents_of(at, name, declaration)
  local is = declaration.is
  if is == nil then
    return {}
  end
  for _, parent in ipairs(type(is) == "table" and is or { is }) do
    if type(parent) ~= "string" then
      fail(at, { name, "is" }, "`is` takes names of assemblages")
    end
  end
  return type(is) == "table" and is or { is }
end

local function merge_template(into, from)
  for name, instances in pairs(from) do
    into[name] = into[name] or {}
    for instance, fields in pairs(instances) do
      merge_fields(into[name], instance, fields)
    end
  end
end

local function read_states(at, name, declared, into)
  if type(declared) ~= "table" then
    fail(at, { name, "states" }, "states is a table: state name → components")
  end
  for state, components in pairs(declared) do
    if state == "initial" then
      into.initial = components
    else
      local template = into.states[state] or {}
      read_components(at, { name, "states", state }, components, template)
      into.states[state] = template
    end
  end
  if next(into.states) and not into.states[into.initial] then
    fail(at, { name, "states", "initial" }, "%s: the initial state %s is not one of %s", name, report.plain(into.initial),
      report.names(into.states))
  end
end

local function compose(at, name, declaration, source, chain)
  local out = { name = name, template = {}, states = {}, children = {}, at = at }
  for _, parent in ipairs(parents_of(at, name, declaration)) do
    local from = resolve(parent, source, chain, at, name)
    merge_template(out.template, from.template)
    for state, template in pairs(from.states) do
      out.states[state] = out.states[state] or {}
      merge_template(out.states[state], template)
    end
    out.initial = from.initial or out.initial
    for child, resolved in pairs(from.children) do
      out.children[child] = resolved
    end
  end
  for key in pairs(declaration) do
    if not KEYS[key] then
      fail(at, { name, key }, "%s has no part %s: there are components, is, without, children and states", name, report.plain(key))
    end
  end
  local without, children = declaration.without or {}, declaration.children or {}
  if type(without) == "string" then
    without = { without }
  elseif type(without) ~= "table" then
    fail(at, { name, "without" }, "`without` takes names of components")
  end
  if type(children) ~= "table" then
    fail(at, { name, "children" }, "children is a table: child name → a table like an assemblage")
  end
  if declaration.components ~= nil then
    read_components(at, { name, "components" }, declaration.components, out.template)
  end
  without = without_aliases(without, name)
  for _, gone in ipairs(without) do
    if not component.by_name[gone] and not component.metadata[gone] and not plugins.excuses(name, gone) then
      fail(at, { name, "without" }, "%s leaves out a component %s that does not exist", name, report.plain(gone))
    end
    out.template[gone] = nil
    for _, template in pairs(out.states) do
      template[gone] = nil
    end
  end
  if declaration.states ~= nil then
    read_states(at, name, declaration.states, out)
  end
  if next(children) ~= nil then -- a child hangs on its parent's transform
    out.template.transform = out.template.transform or { [""] = {} }
  end
  for child, inline in pairs(children) do
    if type(inline) ~= "table" or type(child) ~= "string" then
      fail(at, { name, "children", child }, "the child %s is a table like an assemblage", report.plain(child))
    end
    out.children[child] = compose(at, name .. "/" .. child, inline, source, chain)
    out.children[child].template.transform = out.children[child].template.transform or { [""] = {} }
  end
  return out
end

-- `chain` are the names on the way here, for the cycle's message.
function resolve(name, source, chain, at, asked_by)
  if M.resolved[name] then
    return M.resolved[name]
  end
  local entry = source[name]
  if not entry then
    fail(at, { asked_by, "is" }, "%s is %s, and there is no such assemblage", table.concat(chain, " → "), name)
  end
  for i, seen in ipairs(chain) do
    if seen == name then
      fail(entry.at, { chain[#chain], "is" }, "assemblages in a circle: %s → %s", table.concat(chain, " → ", i), name)
    end
  end
  chain[#chain + 1] = name
  local out = compose(entry.at, name, entry.declaration, source, chain)
  chain[#chain] = nil
  M.resolved[name] = out
  return out
end

-- source: name → { declaration, at = { file, text } }
function M.resolve_all(source)
  for _, name in ipairs(sorted(source)) do
    local entry = source[name]
    if type(name) ~= "string" or type(entry.declaration) ~= "table" then
      fail(entry.at, { report.plain(name) }, "an assemblage is a table with a name")
    end
    resolve(name, source, {}, entry.at, name)
  end
end

local function declare_template(number, template_number, template)
  for _, name in ipairs(sorted(template)) do
    local known = component.by_name[name]
    for _, instance in ipairs(sorted(template[name])) do
      local instance_id = instance == "" and 0 or text.keep(instance)
      C.world_assemblage_add(W, number, template_number, known.id, instance_id)
      value.each(known, template[name][instance], function(at, v)
        C.world_assemblage_set(W, number, template_number, known.id, instance_id, at, v)
      end)
    end
  end
end

-- `numbers`: what is declared already; an inline child is shared by all that inherit it.
local function declare(resolved, numbers)
  if numbers[resolved] then
    return numbers[resolved]
  end
  local children = {}
  for _, child in ipairs(sorted(resolved.children)) do
    children[#children + 1] = { text.keep(child), declare(resolved.children[child], numbers) }
  end
  local number = C.world_assemblage_declare(W, text.keep(resolved.name))
  declare_template(number, 0, resolved.template)
  if next(resolved.states) then
    local order = sorted(resolved.states)
    table.sort(order, function(a, b)
      if (a == resolved.initial) ~= (b == resolved.initial) then
        return a == resolved.initial
      end
      return a < b
    end)
    for _, state in ipairs(order) do
      declare_template(number, C.world_assemblage_state(W, number, text.keep(state)), resolved.states[state])
    end
  end
  for _, child in ipairs(children) do
    C.world_assemblage_child(W, number, child[1], child[2])
  end
  numbers[resolved] = number
  return number
end

function M.declare_all()
  C.world_assemblages_clear(W)
  local numbers = {}
  for _, name in ipairs(sorted(M.resolved)) do
    declare(M.resolved[name], numbers)
  end
end

return M
