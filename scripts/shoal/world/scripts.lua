-- The component `script`: checks that no entity gets the same behaviour twice.
local need = ...
local abi = need("base/abi")
local report = need("base/report")
local sorted = need("base/sorted")
local text = need("base/text")
local component = need("schema/component")
local assemblage = need("world/assemblage")

---@class engine.scripts
local M = {}

-- Two of these scripts that ask for the same file, in words; nil for none.
---@param instances table<string, any> by name: { file = … }
---@return string?
function M.twice(instances)
  local by_file = {}
  for _, name in ipairs(sorted(instances)) do
    local file = type(instances[name]) == "table" and instances[name].file or ""
    if by_file[file] then
      return string.format("its scripts %s and %s are both %s, and an entity has a behaviour once: leave one out, or "
        .. "give it a file of its own", by_file[file], name, file)
    end
    by_file[file] = file ~= "" and (name == "" and "without a name" or name) or nil
  end
end

-- The scripts of an assemblage in a state, with others over them.
local function scripts_of(made, state_name, over)
  local out = {}
  for _, template in ipairs { made.template, made.states[state_name] or {}, { script = over } } do
    for instance, fields in pairs(template.script or {}) do
      out[instance] = out[instance] or {}
      for key, v in pairs(type(fields) == "table" and fields or {}) do
        out[instance][key] = v
      end
    end
  end
  return out
end

-- Before an entity is spawned with scripts of its own.
---@param name? string of its assemblage
---@param values any what is said of script
function M.check_spawn(name, values)
  local known = component.by_name.script
  if known.kind == "many" and values then
    local made = name and assemblage.resolved[name] or { template = {}, states = {} }
    local wrong = M.twice(scripts_of(made, made.initial, assemblage.instances_of(known, values)))
    if wrong then
      report.complain("world.spawn: %s", wrong)
    end
  end
end

-- Before a script is added to an entity: has it one with that file?
---@param id integer
---@param instance string
---@param file? string
function M.check_add(id, instance, file)
  local script, files = component.by_name.script, {}
  local row = script.row_of(id)
  while row >= 0 and row ~= abi.NO_ROW do
    files[text.text(script.manager.instance[row])] = { file = script.get_row.file(row) }
    row = script.manager.next[row]
  end
  files[instance] = { file = file }
  local wrong = M.twice(files)
  if wrong then
    report.complain("%s: %s", component.title(id), wrong)
  end
end

-- No assemblage gives an entity a behaviour twice; `only` this one.
---@param only? string
function M.check_twice(only)
  for _, name in ipairs(only and { only } or sorted(assemblage.resolved)) do
    local made = assemblage.resolved[name]
    for _, state_name in ipairs { "", unpack(sorted(made.states)) } do
      local wrong = M.twice(scripts_of(made, state_name))
      if wrong then
        report.fail { message = name .. ": " .. wrong, file = made.at.file, piece = "assemblage " .. name,
          line = report.line_of(made.at.text, name, "script") }
      end
    end
  end
end

return M
