-- Warns if a game that declares players reads an action without a player's number: input.down("fire") is true if any
-- player holds the action. Finds direct calls in the bytecode; one warning names the first of them.
local need, native = ...
local state = need("base/vm_state")
local bytecode = need("compile/bytecode")
local util = require("jit.util")

local CALLS = { CALL = true, CALLT = true }
local FUNCTIONS = { down = true, pressed = true, released = true, axis = true }

-- Returns "input.down" if the instruction at `pc` calls this function with one argument.
local function find_call(fn, pc)
  local op, called_slot, _, c, d = bytecode.read_instruction(fn, pc)
  local operand = op == "CALL" and c or op == "CALLT" and d -- operand that contains the number of arguments + 1
  local member_pc = operand == 2 and bytecode.find_write(fn, pc, called_slot)
  if not member_pc then
    return nil
  end
  local member_op, _, object, key = bytecode.read_instruction(fn, member_pc)
  local name = member_op == "TGETS" and util.funck(fn, -key - 1)
  local object_pc = name and FUNCTIONS[name] and bytecode.find_write(fn, member_pc, object)
  if not object_pc then
    return nil
  end
  local object_op, _, _, _, global = bytecode.read_instruction(fn, object_pc)
  return object_op == "GGET" and util.funck(fn, -global - 1) == "input" and "input." .. name or nil
end

-- Returns the line and the name of the first call without a player's number in a function and its inner functions; nil
-- if there is none.
local function find_first_call(fn)
  local first_line, first_name
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local name = CALLS[bytecode.read_opcode(fn, pc)] and find_call(fn, pc)
    if name then
      first_line, first_name = util.funcinfo(fn, pc).currentline, name
      break
    end
  end
  for _, inner in ipairs(bytecode.list_inner(fn)) do
    local line, name = find_first_call(inner)
    if line and (not first_line or line < first_line) then
      first_line, first_name = line, name
    end
  end
  return first_line, first_name
end

---@param chunks { [1]: function, [2]: string }[] the main chunk and the name of each file
return function(chunks)
  if not state.declares_players() or not bytecode.is_known then
    return
  end
  for _, item in ipairs(chunks) do
    local line, name = find_first_call(item[1])
    if line then
      native.log("warn", string.format("%s:%d: %s without a player's number combines the input of all players: pass "
        .. "the number, %s(\"fire\", player), or nil", item[2], line, name, name))
      return
    end
  end
end
