-- Runs inside the VM under test (inserted by scenarios/traces.sh) and logs LuaJIT's traces to the file named by the
-- environment variable TRACES. For each compiled or aborted trace, it writes a line of fields separated by "|":
-- - `made` or `given_up`
-- - `loop`, `function` or `side`
-- - where its root trace starts
-- - where it starts
-- - the exit of the parent trace that it continues
-- - where it ends
-- - how it continues, or why it was aborted
-- The line "flushed" means that all machine code was discarded.
local util, bit = require("jit.util"), require("bit")
local out = assert(io.open(os.getenv("TRACES"), "a"))
local vmdef = require("jit.vmdef")
-- Calls LuaJIT's original functions instead of string methods, which are implemented in Lua
-- (scripts/shoal/math/exact.lua): compiled code must not run while LuaJIT is compiling.
local format, gsub, match, sub = string.format, string.gsub, string.match, string.sub

-- Moves the functions that are loaded later, because the addresses of loops influence where LuaJIT starts its traces.
local padding = {}
for i = 1, tonumber(os.getenv("TRACES_MOVED_BY") or 0) do padding[i] = { i } end
package.loaded.trace_log_padding = padding -- keeps `padding` from being collected

local function place(func, pc)
  local info = util.funcinfo(func, pc)
  if not info.source then return "C:0" end
  return format("%s:%d", gsub(info.source, "^@", ""), info.currentline or 0)
end

local function reason(code, extra)
  if type(code) ~= "number" then return tostring(code) end
  local text = vmdef.traceerr[code] or "error " .. code
  if type(extra) == "function" then extra = place(extra, 0) end
  return (gsub(text, "%%%l", tostring(extra)))
end

local LOOPS = { FORL = true, IFORL = true, JFORL = true, ITERL = true, IITERL = true, JITERL = true, LOOP = true,
  ILOOP = true,
  JLOOP = true, ITERN = true, JITERN = true, FORI = true }

-- Returns the name of an opcode without its number: "RET" for RET0; nil at the start of a function.
local function opcode_of(func, pc)
  local code = pc > 0 and util.funcbc(func, pc)
  local at = code and bit.band(code, 0xff) * 6
  return at and match(sub(vmdef.bcnames, at + 1, at + 6), "%u+")
end

local function kind_of(func, pc)
  return LOOPS[opcode_of(func, pc)] and "loop" or "function"
end

-- Returns why a trace was aborted at an instruction.
local function reason_at(func, pc, code, extra)
  local text = reason(code, extra)
  local is_return = opcode_of(func, pc) == "RET" and match(text, "^JIT compilation disabled")
  return is_return and "return to interpreted code" or text
end

local began, roots = nil, {}

require("jit").attach(function(what, trace, func, pc, parent, exit)
  if what == "start" then
    local side = parent ~= nil and parent ~= 0
    began = { at = place(func, pc), side = side, kind = side and "side" or kind_of(func, pc) }
    -- A side trace belongs to the loop that it exits.
    began.root = began.side and roots[parent] or began.at
    began.exit = began.side and format("%s exit %s", tostring(parent), tostring(exit)) or ""
  elseif what == "flush" then
    out:write("flushed\n")
    out:flush()
  elseif began and what == "stop" then
    roots[trace] = began.root
    local link = util.traceinfo(trace).linktype
    out:write(table.concat({ link == "interpreter" and "given_up" or "made", began.kind, began.root, began.at,
      began.exit, place(func, pc), link }, "|"), "\n")
    out:flush()
  elseif began and what == "abort" then
    out:write(table.concat({ "given_up", began.kind, began.root, began.at, began.exit, place(func, pc),
      reason_at(func, pc, parent, exit) }, "|"), "\n")
    out:flush()
  end
end, "trace")
