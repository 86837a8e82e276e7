-- Refuses systems of a game that declares players if they read a field that differs between machines, such as
-- widget.hovered. Finds reads of a component's field in the bytecode of system and behaviour files:
-- e.widget.hovered, q.widget.hovered[i], and the same with a local for e.widget. Other reads return the default.
local need = ...
local report = need("base/report")
local state = need("base/vm_state")
local bytecode = need("compile/bytecode")
local components = need("schema/component")
local util = require("jit.util")

local WIDGET = "it is the state of a machine's own layout"
local M = {}

-- Component → field → reason why its value differs between machines; as DERIVED_FIELDS in engine/view/ui/machine.c.
M.FIELDS = {
  widget = { focused = "each machine has its own focus: handle the event focused", hovered = WIDGET, held = WIDGET,
    at_x = WIDGET, at_y = WIDGET, at_width = WIDGET, at_height = WIDGET },
  panel = { scroll = WIDGET },
  list = { first = WIDGET },
  entry = { cursor = WIDGET, selection = WIDGET, composing = WIDGET },
  dialogue = { shown = "each machine shows the text on its own: handle dialogue_ended" },
}

local is_refused = {} -- set of all field names in M.FIELDS
for _, fields in pairs(M.FIELDS) do
  for field in pairs(fields) do
    is_refused[field] = true
  end
end

-- Returns the key and the object's slot if the instruction at `pc` reads a field with a constant name.
local function read_field(fn, pc)
  if bytecode.read_opcode(fn, pc) == "TGETS" then
    local _, _, object, key = bytecode.read_instruction(fn, pc)
    return util.funck(fn, -key - 1), object
  end
end

-- If the instruction at `pc` reads a field that must not be read, returns its component and the field; otherwise nil.
local function find_refused(fn, pc, fields_of)
  local field, object = read_field(fn, pc)
  local write_pc = field and is_refused[field] and bytecode.find_write(fn, pc, object)
  for _ = 1, write_pc and 4 or 0 do -- follows at most 4 copies between locals
    local op, _, _, _, source = bytecode.read_instruction(fn, write_pc)
    if op ~= "MOV" then
      break
    end
    write_pc = bytecode.find_write(fn, write_pc, source)
    if not write_pc then
      return nil
    end
  end
  local component = write_pc and read_field(fn, write_pc)
  return component and fields_of[component] and fields_of[component][field] and component, field
end

local function find_first(fn, fields_of)
  local first_line, first_component, first_field
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local component, field = find_refused(fn, pc, fields_of)
    if component then
      first_line, first_component, first_field = util.funcinfo(fn, pc).currentline, component, field
      break
    end
  end
  for _, inner in ipairs(bytecode.list_inner(fn)) do
    local line, component, field = find_first(inner, fields_of)
    if line and (not first_line or line < first_line) then
      first_line, first_component, first_field = line, component, field
    end
  end
  return first_line, first_component, first_field
end

-- Returns M.FIELDS by current component name. If the game declares its own component `panel`, Shoal's component is
-- named shoal.panel.
local function list_fields()
  local out = {}
  for name, fields in pairs(M.FIELDS) do
    out[components.find_builtin(name).name] = fields
  end
  return out
end

-- Raises an error with the line of the first read of such a field by a system outside the render phase.
---@param systems engine.System[]
---@param chunks { [1]: function, [2]: string }[] the main chunk and the name of each file
function M.check(systems, chunks)
  if not state.declares_players() or not bytecode.is_known then
    return
  end
  local fields_of, chunk_of = list_fields(), {}
  for _, item in ipairs(chunks) do
    chunk_of[item[2]] = item[1]
  end
  for _, declared_system in ipairs(systems) do
    local chunk = declared_system.declaration.phase ~= "render" and chunk_of[declared_system.at.file]
    local line, component, field
    if chunk then
      line, component, field = find_first(chunk, fields_of)
    end
    if line then
      report.fail { message = string.format("%s.%s differs between machines, so the simulation of a game with players "
        .. "cannot read it: %s, or read it in a system in phase \"render\"", component, field,
        fields_of[component][field]), file = declared_system.at.file, line = line,
        piece = "system " .. declared_system.name }
    end
  end
end

return M
