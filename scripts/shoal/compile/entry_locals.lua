-- Predicts the locals that a function will have at the start of one loop, before the function has run: interprets the
-- instructions up to the loop in order, ignoring jumps and skipping calls that may have side effects. Bodies that must
-- be compiled (compile/whole_body.lua) are checked with these values when they are bound; runs use the actual values.
local need = ...
local bytecode = need("compile/bytecode")
local util = require("jit.util")

---@class engine.entry_locals
local M = {}

local UNKNOWN = 0 -- placeholder for an unknown value; a number, because most locals are numbers
local PRIMITIVE = { [1] = false, [2] = true }
local OPERATION = {
  ADD = function(a, b) return a + b end, SUB = function(a, b) return a - b end, MUL = function(a, b) return a * b end,
  DIV = function(a, b) return a / b end, MOD = function(a, b) return a % b end,
}

-- Handlers by opcode name: f(fn, slots, env, a, b, c, d) executes an instruction and returns true if the values that it
-- writes are known.
local HANDLERS = {}
function HANDLERS.MOV(_, s, _, a, _, _, d) s[a] = s[d] return true end
function HANDLERS.KSTR(fn, s, _, a, _, _, d) s[a] = util.funck(fn, -1 - d) return true end
function HANDLERS.KNUM(fn, s, _, a, _, _, d) s[a] = util.funck(fn, d) return true end
function HANDLERS.KSHORT(_, s, _, a, _, _, d) s[a] = d >= 32768 and d - 65536 or d return true end
function HANDLERS.KPRI(_, s, _, a, _, _, d) s[a] = PRIMITIVE[d] return true end
function HANDLERS.KNIL(_, s, _, a, _, _, d)
  for i = a, d do
    s[i] = nil
  end
  return true
end
function HANDLERS.UGET(fn, s, _, a, _, _, d)
  local _, v = debug.getupvalue(fn, d + 1)
  s[a] = v
  return true
end
function HANDLERS.GGET(fn, s, env, a, _, _, d) s[a] = env[util.funck(fn, -1 - d)] return true end
function HANDLERS.TGETS(fn, s, _, a, b, c) s[a] = s[b][util.funck(fn, -1 - c)] return true end
function HANDLERS.TGETB(_, s, _, a, b, c) s[a] = s[b][c] return true end
function HANDLERS.TGETV(_, s, _, a, b, c) s[a] = s[b][s[c]] return true end
function HANDLERS.UNM(_, s, _, a, _, _, d) s[a] = -s[d] return true end
function HANDLERS.NOT(_, s, _, a, _, _, d) s[a] = not s[d] return true end
function HANDLERS.POW(_, s, _, a, b, c) s[a] = s[b] ^ s[c] return true end
for name, f in pairs(OPERATION) do
  HANDLERS[name .. "VN"] = function(fn, s, _, a, b, c) s[a] = f(s[b], util.funck(fn, c)) return true end
  HANDLERS[name .. "NV"] = function(fn, s, _, a, b, c) s[a] = f(util.funck(fn, c), s[b]) return true end
  HANDLERS[name .. "VV"] = function(_, s, _, a, b, c) s[a] = f(s[b], s[c]) return true end
end

local function is_harmless(f, env)
  for _, library in ipairs { env.math, env.bit, env.shoal.math } do
    for _, member in pairs(library) do
      if member == f then
        return true
      end
    end
  end
  return f == env.world.lookup
end

function HANDLERS.CALL(_, s, env, a, b, c)
  local callee, arguments = s[a], {}
  if not is_harmless(callee, env) then
    return false
  end
  for i = 1, c - 1 do
    arguments[i] = s[a + bytecode.FIRST_ARGUMENT + i - 1]
  end
  local results = { callee(unpack(arguments, 1, c - 1)) }
  for i = 1, math.max(b - 1, 0) do
    s[a + i - 1] = results[i]
  end
  return true
end

local function writes_nothing(fn, pc)
  for slot = 0, 250 do
    if bytecode.writes(fn, pc, slot) then
      return false, slot
    end
  end
  return true
end

-- Returns the locals at the start of `loop`, indexed from 1, and true if all instructions before the loop could be
-- interpreted. Locals whose value could not be calculated are UNKNOWN.
---@param fn function
---@param loop engine.Loop
---@param env table<string, any> the globals of game files
---@param ... any the arguments of `fn`
---@return any[] locals
---@return boolean known
function M.find_locals(fn, loop, env, ...)
  local slots, is_complete = {}, true
  for i = 1, select("#", ...) do
    slots[i - 1] = (select(i, ...))
  end
  for pc = 1, loop.head - 1 do
    local op, a, b, c, d = bytecode.read_instruction(fn, pc)
    local has_no_effect, first_slot = writes_nothing(fn, pc)
    local ok, is_known = pcall(HANDLERS[op] or writes_nothing, fn, slots, env, a, b, c, d)
    if not has_no_effect and not (HANDLERS[op] and ok and is_known) then
      slots[first_slot], is_complete = UNKNOWN, false
    end
  end
  local locals = {}
  for n = 1, loop.base do
    locals[n] = slots[n - 1]
  end
  return locals, is_complete
end

return M
