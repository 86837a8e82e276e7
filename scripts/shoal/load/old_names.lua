-- Warns about former component and field names (schema/renames.lua) in function bodies. Finds them in the
-- bytecode: its constants include all names and strings, and its instructions have lines.
--
-- A former name of a component can have a different meaning in the game, such as the name of an assemblage. Its uses
-- cause a warning only where the name cannot have that meaning: in e:has("foe"), world.lookup("foe") and e.foe.hp.
local need, native = ...
local bytecode = need("compile/bytecode")
local scene = need("kit/scene")
local components = need("schema/component")
local collision_layers = need("schema/collision_layers")
local literal = need("schema/literal")
local renames = need("schema/renames")
local sequence = need("systems/sequence")
local assemblage = need("world/assemblage")
local event = need("world/event")
local util = require("jit.util")

local warned = {}

-- Entity methods whose first argument is a component.
local METHODS = { add = true, disable = true, enable = true, has = true, remove = true, set = true }
-- Functions of `world` whose first argument is a component.
local FUNCTIONS = { changes = true, lookup = true }
-- Functions of `world` whose first argument can be a list of components.
local LISTS = { each = true, query = true }
-- Functions of `world` whose first argument can be a component or an assemblage.
local OR_ASSEMBLAGE = { count = true, each = true }

local function warn_of_former_name(file, line, kind, message)
  local location = string.format("%s:%d: ", file, line)
  if not warned[location .. message] then
    warned[location .. message] = true
    native.log("warn", location .. "former name of a " .. kind .. " (raises an error when the line runs): " .. message)
  end
end

-- Returns true if the slot holds a global such as math or world at this instruction. Members of globals are not fields.
local function is_global(fn, pc, slot)
  for earlier_pc = pc - 1, 1, -1 do
    if bytecode.writes(fn, earlier_pc, slot) then
      return (bytecode.read_instruction(fn, earlier_pc)) == "GGET"
    end
  end
  return false
end

-- Finds the last instruction before `pc` that writes the slot. If it reads a member of an object, returns its pc, the
-- member's key and the object's slot; otherwise returns nil.
local function find_member_read(fn, pc, slot)
  for earlier_pc = pc - 1, 1, -1 do
    if slot >= 0 and bytecode.writes(fn, earlier_pc, slot) then
      local op, _, b, c = bytecode.read_instruction(fn, earlier_pc)
      if op == "TGETS" then
        return earlier_pc, util.funck(fn, -c - 1), b
      end
      return nil
    end
  end
end

-- Returns true if the slot is the first argument of an entity method that takes a component.
local function is_argument_of_method(fn, pc, slot)
  local read_pc, key, object = find_member_read(fn, pc, slot - bytecode.FIRST_ARGUMENT - 1)
  if not read_pc or not METHODS[key] then
    return false
  end
  local op, a, _, _, d = bytecode.read_instruction(fn, read_pc - 1) -- the call o:f() copies the object first
  return op == "MOV" and a == slot - 1 and d == object
end

-- Returns true if the slot is the first argument of one of these `world` functions.
local function is_first_argument(functions, fn, pc, slot)
  local read_pc, key, object = find_member_read(fn, pc, slot - bytecode.FIRST_ARGUMENT)
  return read_pc ~= nil and functions[key] and is_global(fn, read_pc, object) or false
end

-- Returns true if the string that the instruction loads into the slot can only be the name of a component.
local function is_component_argument(fn, pc, slot, name)
  return renames.by_name[name] ~= nil and (is_argument_of_method(fn, pc, slot)
    or is_first_argument(FUNCTIONS, fn, pc, slot)
    or not assemblage.resolved[name] and is_first_argument(OR_ASSEMBLAGE, fn, pc, slot))
end

local function is_old_field(name, field)
  local rename = renames.by_name[name]
  return rename ~= nil and rename.by_old[field] ~= nil
end

-- Returns true if the function accesses an old field of the member that the instruction reads into the slot: e.foe.hp.
local function has_old_field(fn, pc, slot, name)
  for later_pc = pc + 1, renames.by_name[name] and util.funcinfo(fn).bytecodes - 1 or pc do
    local op, _, b, c = bytecode.read_instruction(fn, later_pc)
    if (op == "TGETS" or op == "TSETS") and b == slot then
      local field = util.funck(fn, -c - 1)
      if is_old_field(name, field) and not components.by_name[field] then -- in ev.foe.hp, `hp` can be a component
        return true
      end
    end
    if bytecode.writes(fn, later_pc, slot) then
      return false
    end
  end
  return false
end

-- Calls `visit` for the keys and strings in a table constructor. Most keys of a literal passed to world.spawn are in
-- the literal's shape (schema/literal.lua).
local function scan_table(t, line, is_list, visit)
  local shape = literal.shapes[t[literal.MARK]]
  for name, parts in pairs(shape and shape.parts or {}) do
    local is_component = #parts > 0
    for _, part in ipairs(parts) do
      visit(part.name, line, true)
      is_component = is_component and is_old_field(name, part.name)
    end
    visit(name, line, true, is_component)
  end
  for key, v in pairs(t) do
    visit(key, line, true)
    visit(v, line, false, is_list and type(key) == "number")
  end
end

-- Calls visit(text, line, is_member, is_component) for the strings and names that the function uses: "drive",
-- "drive.vx", e.drive. `is_member` is true for member names and table keys, `is_component` for names that can
-- only denote components.
local function scan_function(fn, visit)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, a, b, c, d = bytecode.read_instruction(fn, pc)
    local line = util.funcinfo(fn, pc).currentline
    if op == "KSTR" then
      local name = util.funck(fn, -d - 1)
      visit(name, line, false, is_component_argument(fn, pc, a, name))
    elseif op == "ISEQS" or op == "ISNES" then
      visit(util.funck(fn, -d - 1), line, false)
    elseif op == "TGETS" or op == "TSETS" then
      local name = util.funck(fn, -c - 1)
      visit(name, line, not is_global(fn, pc, b), op == "TGETS" and has_old_field(fn, pc, a, name))
    elseif op == "TDUP" then
      scan_table(util.funck(fn, -d - 1), line, is_first_argument(LISTS, fn, pc, a), visit)
    end
  end
end

local function scan_children(fn, is_body, visit)
  scan_function(fn, function(text, line, is_member, is_component)
    if type(text) == "string" then
      visit(text, line, is_member, is_body, is_component)
    end
  end)
  for _, inner in ipairs(bytecode.list_inner(fn)) do
    scan_children(inner, true, visit)
  end
end

-- Returns the components that a file mentions, and the component whose behaviour the file declares, by name.
local function collect_components(chunk, file)
  local behaviour_name, out = file:match("behaviours/.-([^/]+)%.lua$") or "", {}
  scan_children(chunk, false, function(text)
    local name = text:match("^[%a_][%w_]*") or ""
    out[name] = components.by_name[name]
  end)
  out[behaviour_name] = components.by_name[behaviour_name]
  return out
end

-- Returns "poise.stability is now poise.balance" if `member` is a former field name of a component in
-- `mentioned`, and no component in `mentioned` has a field of that name now; otherwise nil.
local function describe_former_member(mentioned, member)
  local message
  for _, component in pairs(mentioned) do
    if component.by_name[member] or component.vectors[member] then
      return nil
    end
    message = message or renames.describe_field_rename(component, member)
  end
  return message
end

-- Returns the names that can denote something other than a component in this game: strings, and members of tables.
local function find_other_meanings()
  local strings, members = {}, {}
  local tables = { assemblage.resolved, event.by_name, collision_layers.bits, scene.files, sequence.programs }
  for _, named_values in ipairs(tables) do
    for name in pairs(named_values) do
      strings[name] = true
    end
  end
  for _, targets in ipairs { components.by_name, event.by_name } do
    for _, target in pairs(targets) do
      for name, field in pairs(target.by_name) do
        for member in name:gmatch("[^.]+") do
          members[member] = true
        end
        for _, choice in ipairs(field.choices or {}) do
          strings[choice] = true
        end
      end
      for name in pairs(target.vectors) do
        members[name] = true
      end
    end
  end
  return strings, members
end

local function scan_file(chunk, file, strings, members)
  local mentioned = collect_components(chunk, file)
  scan_children(chunk, false, function(text, line, is_member, is_body, is_component)
    local name, field = text:match("^([%a_][%w_]*)%.([%w_]+)$")
    local message = is_member and describe_former_member(mentioned, text) or field
      and renames.describe_field_rename(components.by_name[name], field)
    local other_meanings = is_member and members or strings
    local is_name = field and is_old_field(name, field) or not field and (is_component or not other_meanings[text])
    name = name or text
    if is_body and line then -- packaged games have no line numbers
      if renames.by_name[name] and is_name then
        warn_of_former_name(file, line, "component", components.renamed[name])
      elseif message then
        warn_of_former_name(file, line, "field", message)
      end
    end
  end)
end

---@param chunks { [1]: function, [2]: string }[] the main chunk and the name of each file
return function(chunks)
  if not renames.has_any() then
    return
  end
  local strings, members = find_other_meanings()
  for _, item in ipairs(chunks) do
    scan_file(item[1], item[2], strings, members)
  end
end
