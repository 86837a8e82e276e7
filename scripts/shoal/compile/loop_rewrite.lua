-- A copy of a function whose loops over rows ask for each row: `for i = 1, q.count do` becomes a loop over an iterator,
-- in the bytecode, at the same lines, with the same locals. So what lies before and behind a loop, and rows that
-- machine code does not do, run in Lua as they stand, and the code has the rows between (compile/compile.lua).
--
-- A numeric loop keeps its limits where the other kind has its iterator, and its variable in the same slot. Two more
-- instructions before its jump put the iterator in the place of its start, and 0 in that of its step; where it begins
-- elsewhere than at row 1, or takes every n-th, its start goes to the place of its end, and its step stays. Jump and
-- end become the jump to a call and the call, with one more instruction behind it.
local need, native = ...
local bytecode = need("compile/bytecode")
local util, bit = require("jit.util"), require("bit")
local FIRST = bytecode.FIRST_ARGUMENT

---@class engine.Loop a loop over the rows of a query
---@field base integer the slot of its iterator: the locals before it are what it finds
---@field head integer where it begins: at FORI
---@field first integer where its body begins
---@field last integer where it ends: at FORL
---@field root? integer the slot from which its query is found
---@field names? string[] by these names
---@field stepped boolean it is no loop from row 1 to the last one, by 1

---@class engine.loops
local M = {}

local MAX_LOOPS = 8

local function reader(text, at)
  local r = { at = at }
  function r.byte()
    r.at = r.at + 1
    return text:byte(r.at - 1)
  end
  function r.uleb()
    local v, scale = 0, 1
    repeat
      local b = r.byte()
      v, scale = v + b % 128 * scale, scale * 128
    until b < 128
    return v
  end
  return r
end

local function uleb(v)
  local out = {}
  while v >= 128 do
    out[#out + 1] = string.char(v % 128 + 128)
    v = math.floor(v / 128)
  end
  return table.concat(out) .. string.char(v)
end

-- The slot and the names that lead to what stands in `slot` at pc; nil for anything else.
local function path_to(fn, pc, slot)
  local names = {}
  for k = pc - 1, math.max(1, pc - 3), -1 do
    local op, a, b, c = bytecode.instruction(fn, k)
    if op ~= "TGETS" or a ~= slot then
      break
    end
    table.insert(names, 1, util.funck(fn, -1 - c))
    slot = b
    if slot < a then
      return slot, names, k
    end
  end
end

local MAX_OF_A_STEP = 4

-- Where the step of a loop begins: what stands before its jump and puts something into one slot.
local function step_of(fn, pc, slot)
  local first = pc
  for k = pc - 1, math.max(1, pc - MAX_OF_A_STEP), -1 do
    local op, a = bytecode.instruction(fn, k)
    if a ~= slot or bytecode.JUMPS[op] or not bytecode.writes(fn, k, slot) then
      break
    end
    first = k
  end
  return first
end

-- for i = 1, q.fish.count do
local function loop_at(fn, pc)
  local _, a, _, _, d = bytecode.instruction(fn, pc)
  local step = step_of(fn, pc, a + 2)
  local root, names, first = path_to(fn, step, a + 1)
  if step == pc or not root or names[#names] ~= "count" or root >= a then
    return nil
  end
  local op, _, _, _, by = bytecode.instruction(fn, step)
  local begins, start, _, _, from = bytecode.instruction(fn, first - 1)
  local is_plain = step == pc - 1 and op == "KSHORT" and by == 1 and begins == "KSHORT" and start == a and from == 1
  names[#names] = nil
  return { base = a, head = pc, first = pc + 1, last = pc + d - 0x8000, root = root, names = names,
    stepped = not is_plain }
end

---@param fn function
---@return engine.Loop[]
function M.find(fn)
  local out, within = {}, 0
  for pc = 4, util.funcinfo(fn).bytecodes - 1 do
    local op = bytecode.instruction(fn, pc)
    local loop = (op == "FORI" or op == "JFORI") and pc > within and #out < MAX_LOOPS and loop_at(fn, pc)
    if loop then
      out[#out + 1], within = loop, loop.last
    end
  end
  return out
end

-- How many instructions are new before one of the old ones.
local function moved(loops, pc)
  local n = 0
  for _, loop in ipairs(loops) do
    n = n + (loop.last < pc and 1 or 0) + (loop.head < pc and 2 or 0)
  end
  return n
end

local function word(op, a, d)
  return bytecode.NUMBER[op] + a * 256 + d * 65536
end

-- The instructions of the copy, as numbers; those that are no function's header.
local function rewritten(code, loops, upvalues)
  local out = {}
  for pc, x in ipairs(code) do
    local op = bytecode.NAMES[bit.band(x, 255) + 1]
    if bytecode.JUMPS[op] then
      local target = pc + 1 + math.floor(x / 65536) - 0x8000
      local by = target + moved(loops, target) - (pc + moved(loops, pc)) - 1 + 0x8000
      x = x % 65536 + by * 65536
    end
    for i, loop in ipairs(loops) do
      if pc == loop.head then
        out[#out + 1] = loop.stepped and word("MOV", loop.base + 1, loop.base) or word("KSHORT", loop.base + 2, 0)
        out[#out + 1] = word("UGET", loop.base, upvalues + i - 1)
        x = word("JMP", loop.base + 3, loop.last - loop.head - 1 + 0x8000)
      end
    end
    out[#out + 1] = x
    for _, loop in ipairs(loops) do
      if pc == loop.last then -- FORL
        out[#out] = word("ITERC", loop.base + 3, 2 * 256 + 3)
        local here = #out + 1
        out[here] = word("ITERL", loop.base + 3, loop.first + moved(loops, loop.first) - here - 1 + 0x8000)
      end
    end
  end
  return out
end

-- The debug information of the copy: lines, names of upvalues, where locals live.
local function told(text, loops, count, numline, upvalues)
  local size = numline < 256 and 1 or numline < 65536 and 2 or 4
  local out = {}
  for pc = 1, count do
    local line = text:sub((pc - 1) * size + 1, pc * size)
    out[#out + 1] = line
    for _, loop in ipairs(loops) do
      out[#out + 1] = pc == loop.last and line or pc == loop.head and line .. line or nil
    end
  end
  local r = reader(text, count * size + 1)
  local from = r.at
  for _ = 1, upvalues do
    repeat until r.byte() == 0
  end
  out[#out + 1] = text:sub(from, r.at - 1) .. ("(rows)\0"):rep(#loops)
  local before, now = 0, 0
  while true do
    local begins = r.at
    local kind = r.byte()
    if not kind or kind == 0 then
      break
    end
    while kind >= 7 and r.byte() ~= 0 do end
    out[#out + 1] = text:sub(begins, r.at - 1)
    local first = before + r.uleb()
    local last = first + r.uleb()
    before = first
    local new_first, new_last = first + moved(loops, first), last + moved(loops, last)
    out[#out + 1] = uleb(new_first - now) .. uleb(new_last - new_first)
    now = new_first
  end
  return table.concat(out) .. "\0"
end

local function numbers(text)
  local out = {}
  for i = 1, #text, 4 do
    local a, b, c, d = text:byte(i, i + 3)
    out[#out + 1] = a + b * 256 + c * 65536 + d * 16777216
  end
  return out
end

local function bytes(list)
  local out = {}
  for i, v in ipairs(list) do
    out[i] = string.char(v % 256, math.floor(v / 256) % 256, math.floor(v / 65536) % 256, math.floor(v / 16777216))
  end
  return table.concat(out)
end

-- A prototype with its loops changed.
local function changed(text, loops)
  local r = reader(text, 1)
  local flags, params, frame, upvalues = r.byte(), r.byte(), r.byte(), r.byte()
  local kgc, kn, count, told_bytes = r.uleb(), r.uleb(), r.uleb(), r.uleb()
  local firstline, numline = r.uleb(), r.uleb()
  local code = numbers(text:sub(r.at, r.at + 4 * count - 1))
  local at = r.at + 4 * count
  local shared = text:sub(at, at + 2 * upvalues - 1)
  local constants = text:sub(at + 2 * upvalues, #text - told_bytes)
  for _, loop in ipairs(loops) do
    frame = math.max(frame, loop.base + 3 + 3 + FIRST + 2)
  end
  if frame > 250 or upvalues + #loops > 60 or told_bytes == 0 then
    return nil
  end
  local debugging = told(text:sub(#text - told_bytes + 1), loops, count, numline, upvalues)
  count = count + moved(loops, count + 1)
  return string.char(flags, params, frame, upvalues + #loops) .. uleb(kgc) .. uleb(kn) .. uleb(count)
    .. uleb(#debugging) .. uleb(firstline) .. uleb(numline) .. bytes(rewritten(code, loops, upvalues)) .. shared
    .. ("\0\0"):rep(#loops) .. constants .. debugging
end

-- → the same function with `asks[i](count, row)` called for the next row of loop i, behind `row`, and of a stepped one
-- `asks[i](start, step)` for its first row, which puts another iterator and the count in its place; nil where that
-- cannot be
---@param fn function
---@param loops engine.Loop[]
---@param asks (fun(count: number, row: number): number?)[]
---@return function?
function M.copy(fn, loops, asks)
  local text = string.dump(fn)
  local r = reader(text, 5)
  if text:sub(1, 4) ~= "\27LJ\2" or bit.band(r.uleb(), 2) ~= 0 then
    return nil
  end
  local name = r.uleb()
  r.at = r.at + name
  local from, length = r.at, r.uleb()
  local last = nil ---@type { at: integer, from: integer, length: integer }?
  while length ~= 0 do -- the functions within come first
    last = { at = from, from = r.at, length = length }
    r.at = r.at + length
    from = r.at
    length = r.uleb()
  end
  local new = last and changed(text:sub(last.from, last.from + last.length - 1), loops)
  local made = new and loadstring(text:sub(1, last.at - 1) .. uleb(#new) .. new .. "\0")
  if not made then
    return nil
  end
  native.made(made) -- where it is stopped, its loops have lines
  local upvalues = debug.getinfo(fn, "u").nups
  for i = 1, upvalues do
    debug.upvaluejoin(made, i, fn, i)
  end
  for i = 1, #loops do
    debug.setupvalue(made, upvalues + i, asks[i])
  end
  return setfenv(made, getfenv(fn))
end

return M
