-- Emits LLVM IR text from the nodes of a row (symbolic_exec.lua): a loop over vectors of rows, which are wider than the
-- processor's vectors where that is faster. Each row of a vector is a lane. The loop processes whole vectors only:
-- native/loop_run.c pads the last rows, in place or in a copy. Rows that must run in Lua take a side exit; side exits
-- are tested before anything in the vector is stored. At a side exit, the rows before it are stored and the loop
-- returns.
--
-- Terms of LLVM: a block is a sequence of instructions that ends in a branch; a phi selects its value by the block from
-- which its own block was entered; a value that must not be used is poison. A mask is a vector of booleans.
--
-- Loads, arithmetic and stores have no fast-math flags: nothing is fused, reordered or assumed to be finite. The
-- function's argument is native_call_t (native/loop.h).
local need = ...
local ffi = need("base/abi").ffi
local sorted_keys = need("base/sorted_keys")
local batched_calls = need("compile/batched_calls")
local ir = need("compile/ir")
local conditional_stores = need("compile/conditional_stores")
local previous_row = need("compile/previous_row")
local row_offsets = need("compile/row_offsets")

---@class engine.emit
local M = {}

local LLVM_TYPES = { f32 = "float", f64 = "double", i32 = "i32", bool = "i1" }
local MEMORY_TYPES = { f32 = "float", f64 = "double", i32 = "i32", u32 = "i32", i16 = "i16", u16 = "i16", i8 = "i8",
  u8 = "i8", bool = "i8", enum = "i8", string = "i32", asset = "i32", entity = "i32" }
local TYPE_SIZES = { float = 4, double = 8, i32 = 4, i16 = 2, i8 = 1 }
local INTRINSIC_SUFFIXES = { f32 = "f32", f64 = "f64" }
-- Byte offsets of the members of native_call_t.
local MARKS, PARAMETERS, BASE, FUNCTIONS, FIND, LINKS = 64 * 8, 128 * 8, 192 * 8, 193 * 8, 194 * 8, 195 * 8
local SOLID, REPORT, EMITTED = 196 * 8, 199 * 8, 202 * 8
local EMITTED_COLUMNS = 8 * 8 -- byte offset of native_emitted_t.columns
local ROWS_OF_VECTOR = { 4, 8, 8 } -- rows per vector by codegen_level_t; see choose_width
-- With AVX-512, an iteration of a loop with masks processes two vectors, each with its own masks: with one vector of
-- twice the width, every mask would have to be split and joined. If the IR text would be longer than
-- MAX_TEXT_OF_TWO_VECTORS bytes, an iteration processes only one vector, to stay well below the length from which LLVM
-- generates code without optimization (native/llvm.c).
local MAX_TEXT_OF_TWO_VECTORS = 16000
-- Number of rows for which batched calls are evaluated together. The number is smaller for code with side exits: after
-- an exit, the code begins a new block, and the results for the remaining rows of the old block are lost.
local BLOCK, BLOCK_WITH_EXITS = 64, 16
local SSE2, AVX512 = 1, 3
-- Limit on the work that inner loops do during one call to the compiled function, in executed lines of IR (a call in
-- the IR counts as LINES_OF_A_CALL lines). Executing that many lines takes about 0.1 s. The row that exceeds the limit
-- takes a side exit.
local MAX_WORK, LINES_OF_A_CALL = 2 ^ 28, 64
-- Lines of IR counted per iteration in single precision. The number is fixed, so that the interpreter stops at the same
-- iteration.
local LINES_OF_AN_ITERATION = 64

local bits = ffi.new("union { double d; uint32_t w[2]; }")
local function format_hex(v)
  bits.d = v
  return ("0x%08X%08X"):format(tonumber(bits.w[1]), tonumber(bits.w[0]))
end

-- Returns a writer, which collects the lines of the IR text and numbers its values and labels.
local function create_writer()
  local lines, count, labels, declared = {}, 0, 0, {}
  local w = { lines = lines, declared = declared }
  function w.put(text)
    lines[#lines + 1] = text
  end
  function w.set(text)
    count = count + 1
    local name = "%t" .. count
    lines[#lines + 1] = " " .. name .. " = " .. text
    return name
  end
  function w.label(name) -- returns a unique label for a block
    labels = labels + 1
    return name .. labels
  end
  function w.begin(label) -- starts a block
    w.at = label
    lines[#lines + 1] = label .. ":"
  end
  function w.intrinsic(name, result, arguments)
    declared[("declare %s @%s(%s)"):format(result, name, arguments)] = true
    return "@" .. name
  end
  return w
end

local function vector(t, width)
  return width == 1 and t or ("<%d x %s>"):format(width, t)
end

local function splat(t, text, width)
  if width == 1 then
    return text
  elseif text == "0" or text == "false" or text == "0x0000000000000000" then
    return "zeroinitializer"
  end
  local out = {}
  for i = 1, width do
    out[i] = t .. " " .. text
  end
  return "<" .. table.concat(out, ", ") .. ">"
end

local function literal(t, v, width)
  if t == "bool" then
    return splat("i1", v and "true" or "false", width)
  elseif t == "i32" then
    return splat("i32", ("%d"):format(v), width)
  end
  return splat(LLVM_TYPES[t], format_hex(v), width)
end

local function broadcast(w, t, text, width)
  if width == 1 then
    return text
  end
  local v = vector(t, width)
  local first_lane = w.set(("insertelement %s poison, %s %s, i32 0"):format(v, t, text))
  return w.set(("shufflevector %s %s, %s poison, <%d x i32> zeroinitializer"):format(v, first_lane, v, width))
end

local CONDITION = { lt = "lt", le = "le", eq = "eq" }
local ARITHMETIC = { add = true, sub = true, mul = true, div = true }

-- Calculates the floor for SSE2, which has no rounding instruction (SSE4.1 does): (|x| + 2^52) - 2^52 is |x| rounded to
-- the nearest integer; for f32 the constant is 2^23.
local function floor_by_sums(w, n, operand, T, width)
  local suffix = (width > 1 and "v" .. width or "") .. INTRINSIC_SUFFIXES[n.t]
  local rounding_constant = literal(n.t, n.t == "f64" and 2 ^ 52 or 2 ^ 23, width)
  local fabs = w.intrinsic("llvm.fabs." .. suffix, T, T)
  local sign = w.intrinsic("llvm.copysign." .. suffix, T, T .. ", " .. T)
  local magnitude = w.set(("call %s %s(%s %s)"):format(T, fabs, T, operand))
  local sum = w.set(("fadd %s %s, %s"):format(T, magnitude, rounding_constant))
  local rounded = w.set(("fsub %s %s, %s"):format(T, sum, rounding_constant))
  local signed = w.set(("call %s %s(%s %s, %s %s)"):format(T, sign, T, rounded, T, operand))
  local is_above = w.set(("fcmp ogt %s %s, %s"):format(T, signed, operand))
  local decremented = w.set(("fsub %s %s, %s"):format(T, signed, literal(n.t, 1, width)))
  local I = vector("i1", width)
  local lower = w.set(("select %s %s, %s %s, %s %s"):format(I, is_above, T, decremented, T, signed))
  local result = w.set(("call %s %s(%s %s, %s %s)"):format(T, sign, T, lower, T, operand))
  local is_small = w.set(("fcmp olt %s %s, %s"):format(T, magnitude, rounding_constant))
  return w.set(("select %s %s, %s %s, %s %s"):format(I, is_small, T, result, T, operand))
end

-- Emitters by op: f(e, n, T, a, b, c) returns the name of the result. e: emitter; n: node; T: its LLVM type; a, b, c:
-- names of the operands.
local EMIT = {}

-- Makes all NaNs equal if a plugin may have written NaNs with other bits (math/number.lua).
local function canonicalize(e, v, kind, T)
  if not e.result.foreign or kind ~= "f32" and kind ~= "f64" then
    return v
  end
  local is_nan = e.w.set(("fcmp uno %s %s, %s"):format(T, v, v))
  return e.w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", e.width), is_nan, T,
    splat(LLVM_TYPES[kind], "0x7FF8000000000000", e.width), T, v))
end

-- Converts a value loaded from a column to the type of its node.
local function decode(e, v, kind, T)
  local w, memory_type = e.w, MEMORY_TYPES[kind]
  if kind == "f32" or kind == "f64" then
    return canonicalize(e, v, kind, T)
  elseif kind == "bool" then
    return e.to_mask(w.set(("icmp ne %s %s, %s"):format(vector(memory_type, e.width), v,
      splat(memory_type, "0", e.width))))
  elseif kind == "u32" then
    return w.set(("uitofp %s %s to %s"):format(vector(memory_type, e.width), v, T))
  elseif memory_type == "i8" or memory_type == "i16" then
    local is_signed = kind == "i8" or kind == "i16"
    return w.set(("%s %s %s to %s"):format(is_signed and "sext" or "zext", vector(memory_type, e.width), v, T))
  end
  return v
end

function EMIT.load(e, n, T)
  local w, kind = e.w, e.result.columns[n.v].field.type
  local memory_type = MEMORY_TYPES[kind]
  local address = w.set(("getelementptr %s, ptr %%c%d, i64 %s"):format(memory_type, e.slot[n.v], e.row))
  return decode(e, w.set(("load %s, ptr %s, align %d"):format(vector(memory_type, e.width), address,
    TYPE_SIZES[memory_type])), kind, T)
end

-- Returns the address of the column element whose row index is in lane k of `rows`.
local function emit_lane_address(e, name, memory_type, rows, k)
  local w, row = e.w, rows
  if e.width > 1 then
    row = w.set(("extractelement <%d x i32> %s, i32 %d"):format(e.width, rows, k))
  end
  return w.set(("getelementptr %s, ptr %s, i64 %s"):format(memory_type, name,
    w.set(("sext i32 %s to i64"):format(row))))
end

-- Loads the elements of a column whose row indices are in `rows`.
local function load_lanes(e, column, memory_type, rows)
  local w, v = e.w, "poison"
  for k = 0, e.width - 1 do
    local address = emit_lane_address(e, column, memory_type, rows, k)
    local element = w.set(("load %s, ptr %s, align %d"):format(memory_type, address, TYPE_SIZES[memory_type]))
    v = e.width == 1 and element
      or w.set(("insertelement %s %s, %s %s, i32 %d"):format(vector(memory_type, e.width), v, memory_type, element, k))
  end
  return v
end

-- Loads the elements in a branch that is skipped unless `present` is true in some lane.
local function load_present_lanes(e, column, memory_type, rows, present)
  local w = e.w
  local name, entry_block, T = w.label("present"), w.at, vector(memory_type, e.width)
  w.put((" br i1 %s, label %%%s, label %%%send"):format(e.any_lane(e, e.to_i1(present)), name, name))
  w.begin(name)
  local v = load_lanes(e, column, memory_type, rows)
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
  return w.set(("phi %s [ zeroinitializer, %%%s ], [ %s, %%%s ]"):format(T, entry_block, v, name))
end

function EMIT.gather(e, n, T, rows, _, present)
  local kind, column = e.result.columns[n.v].field.type, "%c" .. e.slot[n.v]
  local is_conditional = present and e.width > 1
  return decode(e, (is_conditional and load_present_lanes or load_lanes)(e, column, MEMORY_TYPES[kind], rows, present),
    kind, T)
end

-- Maps a query row to a row of a component. If the map is null, both rows have the same index.
local function map_row(e, map, query_row)
  local w = e.w
  local is_null = w.set(("icmp eq ptr %s, null"):format(map))
  local address = w.set(("getelementptr i32, ptr %s, i64 %s"):format(map,
    w.set(("sext i32 %s to i64"):format(query_row))))
  local safe_address = w.set(("select i1 %s, ptr %%temp_a, ptr %s"):format(is_null, address))
  return w.set(("select i1 %s, i32 %s, i32 %s"):format(is_null, query_row,
    w.set(("load i32, ptr %s, align 4"):format(safe_address))))
end

-- Loads the elements of a column whose indices are `index`, a node, in a loop over the lanes: the code is shorter but
-- slower than the code of load_lanes.
local function load_lanes_in_loop(e, column, memory_type, index)
  local w, name, T = e.w, e.w.label("lane"), vector(memory_type, e.width)
  local rows = e.value(index.op == "mapped" and index.a or index)
  w.put((" store %s %s, ptr %%temp_a, align 4"):format(vector("i32", e.width), rows))
  local entry_block = w.at
  w.put((" br label %%%s"):format(name))
  w.begin(name)
  w.put((" %%%sk = phi i64 [ 0, %%%s ], [ %%%snext, %%%s ]"):format(name, entry_block, name, name))
  local row = w.set(("load i32, ptr %s, align 4"):format(w.set(("getelementptr i32, ptr %%temp_a, i64 %%%sk"):format(
    name))))
  if index.op == "mapped" then
    row = map_row(e, "%c" .. e.slot[index.v], row)
  end
  local address = w.set(("getelementptr %s, ptr %s, i64 %s"):format(memory_type, column,
    w.set(("sext i32 %s to i64"):format(row))))
  local element = w.set(("load %s, ptr %s, align %d"):format(memory_type, address, TYPE_SIZES[memory_type]))
  w.put((" store %s %s, ptr %s, align %d"):format(memory_type, element,
    w.set(("getelementptr %s, ptr %%temp_b, i64 %%%sk"):format(memory_type, name)), TYPE_SIZES[memory_type]))
  w.put((" %%%snext = add i64 %%%sk, 1"):format(name, name))
  w.put((" br i1 %s, label %%%s, label %%%send"):format(w.set(("icmp slt i64 %%%snext, %d"):format(name, e.width)),
    name, name))
  w.begin(name .. "end")
  return w.set(("load %s, ptr %%temp_b, align %d"):format(T, TYPE_SIZES[memory_type]))
end

-- Emits an offset (compile/row_offsets.lua) as an i64. Also emits the condition under which it equals the offset that
-- Lua calculates (row_offsets.MAX_PARAMETER).
local function emit_offset(e, offset)
  local w, is_exact, sum = e.w, "true", ("%d"):format(offset.constant)
  local fabs = w.intrinsic("llvm.fabs.f64", "double", "double")
  for _, item in ipairs(offset.parameters) do
    local v = e.at_row().value(item.node)
    local is_small = w.set(("fcmp ole double %s, %s"):format(w.set(("call double %s(double %s)"):format(fabs, v)),
      format_hex(row_offsets.MAX_PARAMETER)))
    local limited = w.set(("select i1 %s, double %s, double 0.0"):format(is_small, v))
    local whole = w.set(("fptosi double %s to i64"):format(limited))
    local is_whole = w.set(("fcmp oeq double %s, %s"):format(w.set(("sitofp i64 %s to double"):format(whole)), v))
    is_exact = w.set(("and i1 %s, %s"):format(is_exact, is_whole))
    sum = w.set(("%s i64 %s, %s"):format(item.sign > 0 and "add" or "sub", sum, whole))
  end
  return is_exact, sum
end

-- Emits loads of one vector from elements at a loop-invariant distance from the loop's rows, such as x[i - width]. If
-- all of these elements belong to rows of the query and the row map is null, emits a single load, otherwise a load for
-- each lane. In a lane whose row number is invalid, the two forms may load different values, but the lane's row does
-- not use them.
local function load_shifted(e, n)
  local w, shift, kind, column = e.w, n.a.shift, e.result.columns[n.v].field.type, "%c" .. e.slot[n.v]
  local memory_type = MEMORY_TYPES[kind]
  local T, name = vector(memory_type, e.width), w.label("shifted")
  local is_contiguous, offset = emit_offset(e, shift.offset)
  e.result.uses_row_numbers = true
  local row = w.set(("add i64 %s, %s"):format(w.set(("add i64 %s, %%first"):format(e.row)), offset))
  local last_row = w.set(("sub i64 %s, %d"):format(w.set(("fptosi double %%p%d to i64"):format(
    e.parameter[shift.count])), e.width))
  for _, condition in ipairs { "sge i64 " .. row .. ", 0", "sle i64 " .. row .. ", " .. last_row,
    shift.map and ("eq ptr %%c%d, null"):format(e.slot[shift.map]) or nil } do
    is_contiguous = w.set(("and i1 %s, %s"):format(is_contiguous, w.set("icmp " .. condition)))
  end
  w.put((" br i1 %s, label %%%s, label %%%slanes"):format(is_contiguous, name, name))
  w.begin(name)
  local address = w.set(("getelementptr %s, ptr %s, i64 %s"):format(memory_type, column, row))
  local v = w.set(("load %s, ptr %s, align %d"):format(T, address, TYPE_SIZES[memory_type]))
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "lanes")
  e.open()
  local lanes = load_lanes_in_loop(e, column, memory_type, n.a)
  e.close()
  local lanes_block = w.at
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
  v = w.set(("phi %s [ %s, %%%s ], [ %s, %%%s ]"):format(T, v, name, lanes, lanes_block))
  return decode(e, v, kind, e.type(n))
end

function EMIT.find(e, n, T, ids)
  local w = e.w
  w.put((" store %s %s, ptr %%temp_a, align 8"):format(T, ids))
  w.put((" call void %%find(ptr %%call, i64 %d, ptr %%temp_a, ptr %%temp_b, i64 %d)"):format(n.v, e.width))
  e.calls = e.calls + 1
  return w.set(("load %s, ptr %%temp_b, align 8"):format(T))
end

-- Emits a call that tests whether tiles are solid. The result is 1 if so, 0 if not, and -1 if the entity has no map.
-- Lanes whose entity id is 0 are not looked up; their result is -1.
function EMIT.solid(e, _, T, ids, columns, rows)
  local w, f = e.w, e.w.set(("getelementptr i8, ptr %%call, i64 %d"):format(SOLID))
  w.put((" store %s %s, ptr %%temp_c, align 8"):format(T, ids))
  w.put((" store %s %s, ptr %%temp_a, align 8"):format(vector("double", e.width), columns))
  w.put((" store %s %s, ptr %%temp_b, align 8"):format(vector("double", e.width), rows))
  w.put((" call void %s(ptr %%call, ptr %%temp_c, ptr %%temp_a, ptr %%temp_b, i64 %d)"):format(
    w.set(("load ptr, ptr %s, align 8"):format(f)), e.width))
  e.calls = e.calls + 1
  return w.set(("load %s, ptr %%temp_c, align 8"):format(T))
end

function EMIT.parameter(e, n)
  local v = broadcast(e.w, LLVM_TYPES[n.t], "%p" .. e.parameter[n.v], e.width)
  return n.t == "bool" and e.to_mask(v) or v
end

function EMIT.mapped(e, n, T, query_rows)
  local w, map, out = e.w, "%c" .. e.slot[n.v], "poison"
  if e.width == 1 then
    return map_row(e, map, query_rows)
  end
  local is_null = w.set(("icmp eq ptr %s, null"):format(map))
  local name, entry_block = "map" .. is_null:sub(3), w.at
  w.put((" br i1 %s, label %%%send, label %%%s"):format(is_null, name, name))
  w.begin(name)
  for k = 0, e.width - 1 do
    local row = w.set(("load i32, ptr %s, align 4"):format(emit_lane_address(e, map, "i32", query_rows, k)))
    out = w.set(("insertelement %s %s, i32 %s, i32 %d"):format(T, out, row, k))
  end
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
  return w.set(("phi %s [ %s, %%%s ], [ %s, %%%s ]"):format(T, query_rows, entry_block, out, name))
end

-- Returns the phi of a loop-carried value, which is defined when its inner loop is emitted.
function EMIT.phi(e, n)
  return e.phis[n]
end

-- Returns true if the node varies between iterations of an inner loop.
local function is_loop_variant(n, loop)
  local varies = loop.changes or {}
  loop.changes = varies
  if varies[n] == nil then
    local nested_loop = n.op == "after_loop" and n.loop
    varies[n] = false
    local is_variant = n.op == "phi" and n.loop == loop
    for _, x in ipairs { n.a or false, n.b or false, n.c or false } do
      is_variant = is_variant or x and is_loop_variant(x, loop)
    end
    if nested_loop and nested_loop ~= loop then
      is_variant = is_variant or is_loop_variant(nested_loop.start, loop) or is_loop_variant(nested_loop.stop, loop)
        or is_loop_variant(nested_loop.step, loop) or is_loop_variant(nested_loop.guard, loop)
      for _, item in ipairs(nested_loop.items) do
        is_variant = is_variant or is_loop_variant(item.init, loop) or is_loop_variant(item.next, loop)
      end
    end
    varies[n] = is_variant
  end
  return varies[n]
end

local function is_variant_in_any(n, loops)
  for _, loop in ipairs(loops) do
    if is_loop_variant(n, loop) then
      return true
    end
  end
  return false
end

-- Hoists the loop-invariant operands of a node out of an inner loop. `loops`: that loop and the loops nested in it.
---@param e table
---@param n engine.ir.Node
---@param loops table
---@param visited table<engine.ir.Node, boolean>
local function hoist_operands(e, n, loops, visited)
  if visited[n] or n.op == "const" then
    return
  end
  visited[n] = true
  if not is_variant_in_any(n, loops) then
    e.value(n)
    return
  end
  for _, operand in ipairs { n.a or false, n.b or false, n.c or false } do
    if operand then
      hoist_operands(e, operand, loops, visited)
    end
  end
  if n.op ~= "after_loop" then
    return
  end
  for _, operand in ipairs { n.loop.start, n.loop.stop, n.loop.step, n.loop.guard } do
    hoist_operands(e, operand, loops, visited)
  end
  local inner_loops = { n.loop, unpack(loops) }
  for _, item in ipairs(n.loop.items) do
    hoist_operands(e, item.init, loops, visited)
    hoist_operands(e, item.next, inner_loops, visited)
  end
end

M.hoist_operands = hoist_operands

-- Emits the condition for another iteration. As in LuaJIT, the sign bit of the step determines the direction. The loop
-- also ends if its guard (the condition under which the row reaches it) is false, after a `break`, and at a side exit.
local function emit_loop_condition(e, loop, is_descending, stop)
  local w, index = e.w, e.phis[loop.index.node]
  local is_continuing = w.set(("select i1 %s, i1 %s, i1 %s"):format(is_descending,
    w.set(("fcmp ole double %s, %s"):format(stop, index)), w.set(("fcmp ole double %s, %s"):format(index, stop))))
  is_continuing = w.set(("and i1 %s, %s"):format(is_continuing, e.value(loop.guard)))
  local has_ended = w.set(("or i1 %s, %s"):format(e.phis[loop.bad.node], e.phis[loop.has_broken.node]))
  return w.set(("and i1 %s, %s"):format(is_continuing, w.set(("xor i1 %s, true"):format(has_ended))))
end

-- Emits code that subtracts an iteration's lines from the remaining work and tests whether the limit is reached. The
-- row that reaches it takes a side exit: Lua, whose time budget stops an endless loop, runs that row.
local function count_iteration(w, lines)
  local remaining = w.set("load i64, ptr %work, align 8")
  remaining = w.set(("sub i64 %s, %d"):format(remaining, lines))
  w.put((" store i64 %s, ptr %%work, align 8"):format(remaining))
  return w.set(("icmp sle i64 %s, 0"):format(remaining))
end

local function emit_is_descending(w, step)
  return w.set(("icmp slt i64 %s, 0"):format(w.set(("bitcast double %s to i64"):format(step))))
end

-- Evaluates the initial values of an inner loop and hoists its loop-invariant operands.
local function begin_loop(e, loop)
  local initial_values, hoisted = {}, {}
  for i, item in ipairs(loop.items) do
    initial_values[i] = e.value(item.init)
    hoist_operands(e, item.next, { loop }, hoisted)
  end
  return initial_values
end

-- Emits an inner loop: its loop-invariant operands first, then its body, with a phi for each loop-carried value.
local function write_loop(e, loop)
  local w, new_values, name = e.w, {}, e.w.label("loop")
  local stop, step = e.value(loop.stop), e.value(loop.step)
  e.value(loop.guard)
  local initial_values = begin_loop(e, loop)
  local is_descending = emit_is_descending(w, step)
  local entry_block = w.at
  w.put((" br label %%%s\n%s:"):format(name, name))
  local first_line = #w.lines
  for i, item in ipairs(loop.items) do -- reserves lines for the phis, which are written after the body
    e.phis[item.node] = ("%%%sv%d"):format(name, i)
    w.put("")
  end
  w.put((" br i1 %s, label %%%sbody, label %%%send"):format(emit_loop_condition(e, loop, is_descending, stop), name,
    name))
  w.begin(name .. "body")
  local body_start, calls_before = #w.lines, e.calls
  e.open()
  for i, item in ipairs(loop.items) do
    new_values[i] = e.value(item.next)
  end
  e.close()
  local is_exhausted = count_iteration(w, e.result.precision == "single" and LINES_OF_AN_ITERATION
    or #w.lines - body_start + (e.calls - calls_before) * LINES_OF_A_CALL)
  for i, item in ipairs(loop.items) do
    local v = item == loop.bad and w.set(("or i1 %s, %s"):format(new_values[i], is_exhausted)) or new_values[i]
    w.lines[first_line + i] = (" %s = phi %s [ %s, %%%s ], [ %s, %%%s ]"):format(e.phis[item.node], LLVM_TYPES[item.t],
      initial_values[i], entry_block, v, w.at)
  end
  w.put((" br label %%%s"):format(name))
  w.begin(name .. "end")
end

-- --- inner loops of vectors

-- Largest ratio between a bound and the step for which the index certainly changes in each iteration.
local MAX_BOUND_IN_STEPS = 2 ^ 40

-- Emits a test whether a loop's start, stop and step allow an estimate of its iteration count, and emits the estimate.
-- For an endless loop, whose step is zero or too small to change the index, the test fails.
local function count_iterations(w, start, stop, step)
  local fabs = w.intrinsic("llvm.fabs.f64", "double", "double")
  local function emit_abs(v)
    return w.set(("call double %s(double %s)"):format(fabs, v))
  end
  local limit = w.set(("fmul double %s, %s"):format(emit_abs(step), format_hex(MAX_BOUND_IN_STEPS)))
  local iterations = w.set(("fdiv double %s, %s"):format(w.set(("fsub double %s, %s"):format(stop, start)), step))
  local is_bounded = w.set(("fcmp ole double %s, %s"):format(iterations, format_hex(MAX_WORK)))
  for _, bound in ipairs { start, stop } do
    is_bounded = w.set(("and i1 %s, %s"):format(is_bounded,
      w.set(("fcmp ole double %s, %s"):format(emit_abs(bound), limit))))
  end
  return is_bounded, iterations
end

-- Emits code that subtracts the work of all loop iterations from the remaining work. Returns the condition that
-- the loop must not begin because the limit would be exceeded, and the number of the line to complete with the work of
-- an iteration. In single precision, each outermost loop has the whole limit, so that the result does not depend on the
-- number of rows per vector.
local function emit_work(e, is_descending, start, stop, step)
  local w = e.w
  local is_bounded, iterations = count_iterations(w, start, stop, step)
  local is_entered = w.set(("select i1 %s, i1 %s, i1 %s"):format(is_descending,
    w.set(("fcmp ole double %s, %s"):format(stop, start)), w.set(("fcmp ole double %s, %s"):format(start, stop))))
  local is_counted = w.set(("and i1 %s, %s"):format(is_entered, is_bounded))
  iterations = w.set(("select i1 %s, double %s, double 0.0"):format(is_counted, iterations))
  iterations = w.set(("add i64 %s, 1"):format(w.set(("fptosi double %s to i64"):format(iterations))))
  local is_reset = e.result.precision == "single" and e.nesting == 0
  local remaining = is_reset and ("%d"):format(MAX_WORK) or w.set("load i64, ptr %work, align 8")
  local work = w.set(("mul i64 %s, "):format(iterations))
  local line = #w.lines
  remaining = w.set(("sub i64 %s, %s"):format(remaining, work))
  w.put((" store i64 %s, ptr %%work, align 8"):format(remaining))
  local is_exceeded = w.set(("icmp slt i64 %s, 0"):format(remaining))
  is_exceeded = w.set(("or i1 %s, %s"):format(is_exceeded, w.set(("xor i1 %s, true"):format(is_bounded))))
  return w.set(("and i1 %s, %s"):format(is_entered, is_exceeded)), line
end

-- Emits the condition for another iteration of a loop that the rows of a vector execute together: some row has reached
-- the loop and takes no side exit. `is_reached`: some row has reached the loop.
local function emit_common_condition(e, loop, is_descending, stop, is_reached)
  local w, index = e.w, e.scalar.phis[loop.index.node]
  local is_continuing = w.set(("select i1 %s, i1 %s, i1 %s"):format(is_descending,
    w.set(("fcmp ole double %s, %s"):format(stop, index)), w.set(("fcmp ole double %s, %s"):format(index, stop))))
  local is_running
  if e.result.is_uniform(loop.bad.node) then
    is_running = w.set(("xor i1 %s, true"):format(e.scalar.phis[loop.bad.node]))
    is_running = w.set(("and i1 %s, %s"):format(is_running, is_reached))
  else
    local bad, guard = e.to_i1(e.phis[loop.bad.node]), e.to_i1(e.value(loop.guard))
    local I = vector("i1", e.width)
    is_running = e.any_lane(e, w.set(("and %s %s, %s"):format(I, guard,
      w.set(("xor %s %s, %s"):format(I, bad, splat("i1", "true", e.width))))))
  end
  return w.set(("and i1 %s, %s"):format(is_continuing, is_running))
end

-- Emits an inner loop that the rows of a vector execute together. Uniform values, such as the index, are scalar.
local function write_common_loop(e, loop)
  local w, s, name, new_values, emitters = e.w, e.scalar, e.w.label("loop"), {}, {}
  local start, stop, step = s.value(loop.start), s.value(loop.stop), s.value(loop.step)
  local is_reached = e.any_lane(e, e.to_i1(e.value(loop.guard)))
  local initial_values = begin_loop(e, loop)
  local is_descending = emit_is_descending(w, step)
  local is_exhausted, work_line = emit_work(e, is_descending, start, stop, step)
  for i, item in ipairs(loop.items) do
    emitters[i] = e.result.is_uniform(item.node) and s or e
    initial_values[i] = item ~= loop.bad and emitters[i].value(item.init) or emitters[i] == s and is_exhausted
      or e.to_mask(broadcast(w, "i1", is_exhausted, e.width))
    emitters[i].phis[item.node] = ("%%%sv%d"):format(name, i)
  end
  local entry_block = w.at
  w.put((" br label %%%s"):format(name))
  w.begin(name)
  local first_line = #w.lines
  for _ = 1, #loop.items do -- reserves lines for the phis, which are written after the body
    w.put("")
  end
  local condition = emit_common_condition(e, loop, is_descending, stop, is_reached)
  w.put((" br i1 %s, label %%%sbody, label %%%send"):format(condition, name, name))
  w.begin(name .. "body")
  local body_start, calls_before = #w.lines, e.calls + s.calls
  e.open()
  e.nesting = e.nesting + 1
  for i, item in ipairs(loop.items) do
    new_values[i] = emitters[i].value(item.next)
  end
  e.nesting = e.nesting - 1
  e.close()
  for i, item in ipairs(loop.items) do
    w.lines[first_line + i] = (" %s = phi %s [ %s, %%%s ], [ %s, %%%s ]"):format(emitters[i].phis[item.node],
      emitters[i].type(item.node), initial_values[i], entry_block, new_values[i], w.at)
  end
  w.lines[work_line] = w.lines[work_line] .. (e.result.precision == "single" and LINES_OF_AN_ITERATION
    or #w.lines - body_start + (e.calls + s.calls - calls_before) * LINES_OF_A_CALL)
  w.put((" br label %%%s"):format(name))
  w.begin(name .. "end")
end

function EMIT.after_loop(e, n)
  local owner = e.vector or e
  if not owner.is_written(n.loop) then
    (owner.scalar and write_common_loop or write_loop)(owner, n.loop)
    owner.note(n.loop)
  end
  return e.phis[n.item.node]
end

function EMIT.carried(e, n)
  return "%k" .. e.parameter[n.v]
end

-- Emits the query rows of a vector, counted from `first`.
local function emit_rows(e, T, first)
  local w, lanes = e.w, {}
  e.result.uses_row_numbers = true
  local row_index = w.set(("add i64 %s, %%first"):format(e.row))
  local first_row = broadcast(w, "i32", w.set(("trunc i64 %s to i32"):format(row_index)), e.width)
  for i = 1, e.width do
    lanes[i] = "i32 " .. first + i - 1
  end
  local numbers = e.width == 1 and first or "<" .. table.concat(lanes, ", ") .. ">"
  return w.set(("add %s %s, %s"):format(T, first_row, numbers))
end

function EMIT.row(e, _, T)
  return emit_rows(e, T, 1)
end

-- Emits the index of a row at a fixed distance. A guard has checked that the index is valid for all rows of the run.
-- For the padding after these rows, the index is limited to `last_row`.
function EMIT.row_at(e, _, T, offset, last_row)
  local w = e.w
  local rows = w.set(("add %s %s, %s"):format(T, emit_rows(e, T, 0), offset))
  if e.width == 1 then
    return rows
  end
  local is_last = w.set(("icmp slt %s %s, %s"):format(T, last_row, rows))
  return w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", e.width), is_last, T, last_row, T, rows))
end

function EMIT.widen(e, n, T, a)
  return e.w.set(("%s %s %s to %s"):format(n.a.t == "i32" and "sitofp" or "fpext", e.type(n.a), a, T))
end

function EMIT.round(e, n, T, a)
  return e.w.set(("%s %s %s to %s"):format(n.a.t == "i32" and "sitofp" or "fptrunc", e.type(n.a), a, T))
end

function EMIT.keep(_, _, _, a)
  return a
end

-- Converts a number to i32. In LLVM, converting a number that does not fit i32 yields poison, even if its row takes a
-- side exit or does not use the result; `freeze` turns poison into an arbitrary but fixed value.
function EMIT.whole(e, n, T, a)
  return e.w.set(("freeze %s %s"):format(T, e.w.set(("fptosi %s %s to %s"):format(e.type(n.a), a, T))))
end

for op in pairs(ARITHMETIC) do
  EMIT[op] = function(e, n, T, a, b)
    return e.w.set(("%s%s %s %s, %s"):format(n.t == "i32" and "" or "f", op, T, a, b))
  end
end

-- Returns the operands of an unsigned comparison, which ir.lua represents as a signed comparison with both sign bits
-- flipped; nil for a signed comparison.
local function get_unsigned_operands(e, n)
  local a, b = n.a, n.b
  if a.op == "bit_xor" and b.op == "bit_xor" and ir.is_const(a.b, ir.MIN) and ir.is_const(b.b, ir.MIN) then
    return e.value(a.a), e.value(b.a)
  end
end

for op, condition in pairs(CONDITION) do
  EMIT[op] = function(e, n, _, a, b)
    local is_integer = n.a.t == "i32"
    local x, y = get_unsigned_operands(e, n)
    if x and op ~= "eq" then
      return e.to_mask(e.w.set(("icmp u%s %s %s, %s"):format(condition, e.type(n.a), x, y)))
    end
    return e.to_mask(e.w.set(("%s %s %s, %s"):format(is_integer and (op == "eq" and "icmp eq" or "icmp s" .. condition)
      or "fcmp o" .. condition, e.type(n.a), a, b)))
  end
end

EMIT["and"] = function(e, _, T, a, b) return e.w.set(("and %s %s, %s"):format(T, a, b)) end
EMIT["or"] = function(e, _, T, a, b) return e.w.set(("or %s %s, %s"):format(T, a, b)) end
EMIT["not"] = function(e, _, T, a)
  return e.w.set(("xor %s %s, %s"):format(T, a, e.literal("bool", true)))
end

function EMIT.choose(e, _, T, a, b, c)
  return e.w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", e.width), e.to_i1(c), T, a, T, b))
end

function EMIT.neg(e, _, T, a)
  return e.w.set(("fneg %s %s"):format(T, a))
end

function EMIT.abs(e, n, T, a)
  if n.t == "i32" then
    local is_negative = e.w.set(("icmp slt %s %s, %s"):format(T, a, literal("i32", 0, e.width)))
    local negated = e.w.set(("sub %s %s, %s"):format(T, literal("i32", 0, e.width), a))
    return e.w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", e.width), is_negative, T, negated, T, a))
  end
  return e.call("fabs", n, T, a)
end

function EMIT.sqrt(e, n, T, a)
  return e.call("sqrt", n, T, a)
end

function EMIT.floor(e, n, T, a)
  return e.level == SSE2 and floor_by_sums(e.w, n, a, T, e.width) or e.call("floor", n, T, a)
end

function EMIT.ceil(e, n, T, a)
  local negated_floor = EMIT.floor(e, n, T, e.w.set(("fneg %s %s"):format(T, a)))
  return e.w.set(("fneg %s %s"):format(T, negated_floor))
end

function EMIT.modulo(e, _, T, a, b)
  local remainder = e.w.set(("srem %s %s, %s"):format(T, a, b))
  local is_negative = e.w.set(("icmp slt %s %s, %s"):format(T, remainder, literal("i32", 0, e.width)))
  local adjusted = e.w.set(("add %s %s, %s"):format(T, remainder, b))
  return e.w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", e.width), is_negative, T, adjusted, T, remainder))
end

for op in pairs { add = true, sub = true, mul = true } do
  EMIT["wrap_" .. op] = function(e, _, T, a, b) return e.w.set(("%s %s %s, %s"):format(op, T, a, b)) end
end

for _, op in ipairs { "and", "or", "xor" } do
  EMIT["bit_" .. op] = function(e, _, T, a, b) return e.w.set(("%s %s %s, %s"):format(op, T, a, b)) end
end

for _, op in ipairs { "shl", "lshr", "ashr" } do
  EMIT["bit_" .. op] = function(e, _, T, a, b)
    local shift = e.w.set(("and %s %s, %s"):format(T, b, literal("i32", 31, e.width)))
    return e.w.set(("%s %s %s, %s"):format(op, T, a, shift))
  end
end

for op, name in pairs { rol = "llvm.fshl.", ror = "llvm.fshr." } do
  EMIT["bit_" .. op] = function(e, _, T, a, b)
    local f = e.w.intrinsic(name .. (e.width > 1 and "v" .. e.width or "") .. "i32", T, T .. ", " .. T .. ", " .. T)
    return e.w.set(("call %s %s(%s %s, %s %s, %s %s)"):format(T, f, T, a, T, a, T, b))
  end
end

-- Rounds an f64 to an integer modulo 2^32: after 1.5 * 2^52 is added, the low 32 bits of the number's representation
-- are the result.
function EMIT.word(e, n, T, a)
  local w = e.w
  local sum = w.set(("fadd %s %s, %s"):format(e.type(n.a), a, literal("f64", 6755399441055744, e.width)))
  local wide_type = vector("i64", e.width)
  return w.set(("trunc %s %s to %s"):format(wide_type,
    w.set(("bitcast %s %s to %s"):format(e.type(n.a), sum, wide_type)), T))
end

-- Emits a call to an exact function. Passes the arguments through memory, so that the call does not depend on the
-- calling convention for vectors.
local function call_exact(w, function_index, a, b, count)
  local address = w.set(("getelementptr ptr, ptr %%functions, i64 %d"):format(function_index))
  local f = w.set(("load ptr, ptr %s, align 8"):format(address))
  w.put((" call void %s(ptr %s, ptr %s, i64 %s)"):format(f, a, b, count))
end

function EMIT.exact(e, n, T, a, b)
  local w = e.w
  w.put((" store %s %s, ptr %%temp_a, align 8"):format(T, a))
  if b then
    w.put((" store %s %s, ptr %%temp_b, align 8"):format(T, b))
  end
  call_exact(w, n.v, "%temp_a", "%temp_b", e.width)
  e.calls = e.calls + 1
  return w.set(("load %s, ptr %%temp_a, align 8"):format(T))
end

-- Adds functions to `e` that represent booleans as vector masks of 32-bit lanes: LLVM would convert a vector of i1 to
-- 16-bit lanes and back at each use. Booleans are i1 with AVX-512, which has mask registers, and in bodies that process
-- one row at a time.
local function add_booleans(e)
  local uses_masks, w = e.width > 1 and e.level < AVX512, e.w
  local mask, I = vector("i32", e.width), vector("i1", e.width)
  e.tested = {}
  function e.type(n)
    return n.t == "bool" and uses_masks and mask or vector(LLVM_TYPES[n.t], e.width)
  end
  function e.to_mask(v)
    return uses_masks and w.set(("sext %s %s to %s"):format(I, v, mask)) or v
  end
  function e.to_i1(v) -- converts a mask to i1
    if not uses_masks then
      return v
    end
    if not e.tested[v] then
      e.tested[v] = w.set(("icmp slt %s %s, %s"):format(mask, v, splat("i32", "0", e.width)))
    end
    return e.tested[v]
  end
  function e.literal(t, v)
    if t == "bool" and uses_masks then
      return splat("i32", v and "-1" or "0", e.width)
    end
    return literal(t, v, e.width)
  end
end

-- Emits code that tests whether a condition holds in any row of a vector. `v`: a vector of i1, or an i1 for a single
-- row.
local function emit_any_lane(e, v)
  if e.width == 1 then
    return v
  end
  local all_lanes = e.w.set(("bitcast %s %s to i%d"):format(vector("i1", e.width), v, e.width))
  return e.w.set(("icmp ne i%d %s, 0"):format(e.width, all_lanes))
end

-- Compares in f32, and again in f64 only if the f32 operands are equal in some row (see `near` in ir.lua).
local function compare_near(e, n)
  local w, T, a, b = e.w, vector("float", e.width), e.value(n.near.a), e.value(n.near.b)
  local f32_result = e.to_mask(w.set(("fcmp o%s %s %s, %s"):format(CONDITION[n.op], T, a, b)))
  local is_any_equal = emit_any_lane(e, w.set(("fcmp oeq %s %s, %s"):format(T, a, b)))
  local name, entry_block = w.label("near"), w.at
  w.put((" br i1 %s, label %%%s, label %%%send"):format(is_any_equal, name, name))
  w.begin(name)
  e.open()
  local f64_result, exact_block = EMIT[n.op](e, n, nil, e.value(n.a), e.value(n.b)), w.at
  e.close()
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
  return w.set(("phi %s [ %s, %%%s ], [ %s, %%%s ]"):format(e.type(n), f32_result, entry_block, f64_result,
    exact_block))
end

-- Loads the result of a batched call (see begin_block).
local function load_batched_result(e, n)
  local element_type = LLVM_TYPES[n.t]
  local address = e.w.set(("getelementptr %s, ptr %s, i64 %s"):format(element_type, e.buffers[n], e.of_block))
  return e.w.set(("load %s, ptr %s, align %d"):format(vector(element_type, e.width), address, TYPE_SIZES[element_type]))
end

-- Returns the function that emits a node and its operands, or nil if EMIT emits it. `memo`: the emitted nodes.
local function get_special_emitter(e, n, memo)
  if e.buffers[n] then
    return load_batched_result
  elseif n.op == "gather" and n.a.shift and not n.c and e.width > 1 then
    return load_shifted
  elseif n.near and e.width > 1 and not memo[n.near.wide] then -- the f64 operand has not been emitted
    return compare_near
  end
end

-- Adds a function to `e` that returns the name of a node's value. Each node is emitted once. Nodes emitted in an inner
-- loop or branch are visible only there: between e.open() and e.close().
local function add_values(e)
  local w, width, is_uniform = e.w, e.width, e.scalar and e.result.is_uniform
  local memo = {} -- node → name of its emitted value
  function e.open()
    if e.scalar then e.scalar.open() end
    memo, e.tested = setmetatable({}, { __index = memo }), setmetatable({}, { __index = e.tested })
  end
  function e.close()
    if e.scalar then e.scalar.close() end
    memo, e.tested = getmetatable(memo).__index, getmetatable(e.tested).__index
  end
  function e.assume(condition) -- declares that the condition is true in each row of this emitter
    conditional_stores.infer(condition, true, function(n, is_true) memo[n] = is_true and "true" or "false" end)
  end
  function e.is_written(loop)
    return memo[loop]
  end
  function e.note(loop)
    memo[loop] = true
  end
  local function broadcast_uniform(n)
    local v = broadcast(w, LLVM_TYPES[n.t], e.scalar.value(n), width)
    return n.t == "bool" and e.to_mask(v) or v
  end
  function e.value(n)
    if n.op == "const" then
      return e.literal(n.t, n.v)
    elseif not memo[n] then
      ir.pause()
      if e.previous[n] or is_uniform and is_uniform(n) then
        memo[n] = e.previous[n] or broadcast_uniform(n)
        return memo[n]
      end
      local emit_special = get_special_emitter(e, n, memo)
      if emit_special then
        memo[n] = emit_special(e, n)
        return memo[n]
      end
      local a, b, c = n.a and e.value(n.a), n.b and e.value(n.b), n.c and e.value(n.c)
      memo[n] = EMIT[n.op](e, n, e.type(n), a, b, c)
    end
    return memo[n]
  end
end

-- Creates an emitter for `width` rows, starting at `row`. `buffers`: stack buffers with the results of batched calls.
-- `block_index`: index of `row` in its block. If rows execute inner loops together, uniform nodes are emitted by
-- another emitter, `scalar`.
local create_emitter
function create_emitter(w, result, slot, parameter, level, width, buffers, row, block_index)
  local e = { w = w, result = result, slot = slot, parameter = parameter, level = level, width = width,
    buffers = buffers, row = row, of_block = block_index, left = "%left", stores = result.stores }
  add_booleans(e)
  e.any_lane = emit_any_lane
  e.phis, e.calls, e.nesting, e.previous = {}, 0, 0, {}
  if result.is_uniform and width > 1 then
    e.scalar = create_emitter(w, result, slot, parameter, level, 1, {}, row, block_index)
    e.scalar.vector = e
  end
  add_values(e)
  function e.at(other_row, other_block_index) -- returns an emitter for other rows of the block
    return create_emitter(w, result, slot, parameter, level, width, buffers, other_row, other_block_index)
  end
  function e.at_row() -- returns an emitter for one row, for values that are the same in all rows
    return create_emitter(w, result, slot, parameter, level, 1, {}, row, "0")
  end
  function e.at_lane(lane) -- returns an emitter for the row of one lane
    local lane_row = w.set(("add i64 %s, %s"):format(row, lane))
    local emitter = create_emitter(w, result, slot, parameter, level, 1, {}, lane_row, "0")
    emitter.left = w.set(("sub i64 %s, %s"):format(e.left, lane))
    return emitter
  end
  function e.call(name, n, T, a)
    local suffix = (width > 1 and "v" .. width or "") .. INTRINSIC_SUFFIXES[n.t]
    return w.set(("call %s %s(%s %s)"):format(T, w.intrinsic("llvm." .. name .. "." .. suffix, T, T), T, a))
  end
  return e
end

-- Returns an emitter for the vector that follows the vector of `e`.
local function create_next_emitter(e)
  local block_index = next(e.buffers) and e.w.set(("add i64 %s, %d"):format(e.of_block, e.width))
  local next_emitter = e.at(e.w.set(("add i64 %s, %d"):format(e.row, e.width)), block_index or e.of_block)
  next_emitter.left = e.w.set(("sub i64 %s, %d"):format(e.left, e.width))
  return next_emitter
end

-- Returns true if the node is the column's unchanged value.
---@param n engine.ir.Node
---@param key string
---@return boolean
local function is_unchanged(n, key)
  return (n.op == "load" or n.op == "gather") and n.v == key
end
M.is_unchanged = is_unchanged

-- Extracts lane k of a vector.
local function extract_lane(e, t, v, k)
  return e.width == 1 and v or e.w.set(("extractelement %s %s, i32 %d"):format(vector(t, e.width), v, k))
end

-- Returns a condition as an i64 with one bit per lane.
local function emit_lane_bits(e, condition)
  local mask = e.to_i1(e.value(condition))
  if e.width > 1 then
    mask = e.w.set(("bitcast %s %s to i%d"):format(vector("i1", e.width), mask, e.width))
  end
  return e.w.set(("zext i%d %s to i64"):format(e.width, mask))
end

-- Emits a loop over the lanes whose bits are set. `write(lane)` emits its body.
local function emit_each_lane(e, lane_bits, write)
  local w, name, entry_block = e.w, e.w.label("lanes"), e.w.at
  w.put((" br label %%%s"):format(name))
  w.begin(name)
  w.put((" %%%sbits = phi i64 [ %s, %%%s ], [ %%%smore, %%%snext ]"):format(name, lane_bits, entry_block, name, name))
  local is_any = w.set(("icmp ne i64 %%%sbits, 0"):format(name))
  w.put((" br i1 %s, label %%%sbody, label %%%send"):format(is_any, name, name))
  w.begin(name .. "body")
  local count_zeros = w.intrinsic("llvm.cttz.i64", "i64", "i64, i1")
  write(w.set(("call i64 %s(i64 %%%sbits, i1 true)"):format(count_zeros, name)))
  w.put((" br label %%%snext"):format(name))
  w.begin(name .. "next")
  w.put((" %%%smore = and i64 %%%sbits, %s"):format(name, name, w.set(("sub i64 %%%sbits, 1"):format(name))))
  w.put((" br label %%%s"):format(name))
  w.begin(name .. "end")
end

-- Converts a value to the memory type of a column.
local function convert_to_memory_type(e, kind, v)
  local memory_type = MEMORY_TYPES[kind]
  if kind == "bool" then
    v = e.w.set(("zext %s %s to %s"):format(vector("i1", e.width), e.to_i1(v), vector(memory_type, e.width)))
  elseif TYPE_SIZES[memory_type] < 4 then
    v = e.w.set(("trunc %s %s to %s"):format(vector("i32", e.width), v, vector(memory_type, e.width)))
  end
  return v, memory_type
end

-- Stores a vector to its rows. Lanes outside the mask `limits.lanes` keep their old values; without that mask, all
-- lanes are stored.
local function store(e, key, memory_type, v, limits)
  local w, T = e.w, vector(memory_type, e.width)
  local address = w.set(("getelementptr %s, ptr %%c%d, i64 %s"):format(memory_type, e.slot[key], e.row))
  if limits.lanes then
    local old_values = w.set(("load %s, ptr %s, align %d"):format(T, address, TYPE_SIZES[memory_type]))
    v = w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", e.width), limits.lanes, T, v, T, old_values))
  end
  w.put((" store %s %s, ptr %s, align %d"):format(T, v, address, TYPE_SIZES[memory_type]))
end

local function store_mark(e, key, mark, limits)
  local w, bytes = e.w, vector("i8", e.width)
  mark = e.to_i1(mark)
  local address = w.set(("getelementptr i8, ptr %%m%d, i64 %s"):format(e.slot[key], e.row))
  local old_marks = w.set(("load %s, ptr %s, align 1"):format(bytes, address))
  if limits.lanes then
    mark = w.set(("and %s %s, %s"):format(vector("i1", e.width), mark, limits.lanes))
  end
  local new_marks = w.set(("zext %s %s to %s"):format(vector("i1", e.width), mark, bytes))
  w.put((" store %s %s, ptr %s, align 1"):format(bytes, w.set(("or %s %s, %s"):format(bytes, old_marks, new_marks)),
    address))
end

local function is_always(n)
  return n.op == "const" and n.v == true
end

local function emit_any(e, n)
  return emit_any_lane(e, e.to_i1(e.value(n)))
end

-- Returns the new value of a column, in the column's memory type, or nil if the column does not change.
local function emit_value(e, key)
  local n = e.result.mem[key]
  return not is_unchanged(n, key) and convert_to_memory_type(e, e.result.columns[key].field.type, e.value(n)) or nil
end

-- Evaluates the new value of each column before anything is stored. Conditional stores are evaluated in store_all.
local function emit_values(e, marked)
  local values = {}
  for _, key in ipairs(sorted_keys(e.result.mem)) do
    local own_rows, condition = e.result.own_rows[key], e.stores.conditional[key]
    local mark = (marked or own_rows) and e.result.marks[key] or condition
    if not condition then
      values[key] = emit_value(e, key)
    end
    if own_rows then e.value(own_rows) end
    if mark then e.to_i1(e.value(mark)) end
  end
  for _, n in ipairs(e.stores.shared) do
    e.value(n)
  end
  return values
end

-- Returns a mask of the first `count` lanes of a vector. `count`: name of an i64 value in the IR.
local function emit_first_lanes_mask(e, count)
  local lanes = {}
  for k = 1, e.width do
    lanes[k] = "i32 " .. k - 1
  end
  local limit = broadcast(e.w, "i32", e.w.set(("trunc i64 %s to i32"):format(count)), e.width)
  return e.w.set(("icmp slt %s <%s>, %s"):format(vector("i32", e.width), table.concat(lanes, ", "), limit))
end

-- Returns the vector of addresses that a write to a shared column stores to: lanes in which the write is inactive have
-- a dummy address.
local function store_addresses(e, t, column, rows, is_active)
  local w, width = e.w, e.width
  local index = width > 1 and vector("i32", width) or "i64"
  local address = w.set(("getelementptr %s, ptr %s, %s %s"):format(t, column, index,
    width > 1 and rows or w.set(("sext i32 %s to i64"):format(rows))))
  local T = vector("ptr", width)
  return w.set(("select %s %s, %s %s, %s %s"):format(vector("i1", width), is_active, T, address, T,
    broadcast(w, "ptr", "%temp_a", width)))
end

-- Returns a function that emits the stores to shared columns (columns that rows write at arbitrary row indices): row by
-- row and, within a row, in instruction order. The values and addresses of all stores are calculated before the first
-- store.
local function store_shared(e, marked)
  local w, stores = e.w, {}
  for i, write in ipairs(e.result.writes) do
    local v, memory_type = convert_to_memory_type(e, e.result.columns[write.key].field.type, e.value(write.value))
    stores[i] = { v = v, m = memory_type, slot = e.slot[write.key], at = e.value(write.row),
      pred = e.to_i1(e.value(write.pred)) }
  end
  return function(count)
    local stored_lanes = e.width > 1 and emit_first_lanes_mask(e, count)
    for _, item in ipairs(stores) do
      local pred = stored_lanes and w.set(("and %s %s, %s"):format(vector("i1", e.width), item.pred, stored_lanes))
        or item.pred
      item.addresses = store_addresses(e, item.m, "%c" .. item.slot, item.at, pred)
      item.marks = marked and store_addresses(e, "i8", "%m" .. item.slot, item.at, pred)
    end
    for k = 0, e.width - 1 do
      for _, item in ipairs(stores) do
        w.put((" store %s %s, ptr %s, align %d"):format(item.m, extract_lane(e, item.m, item.v, k),
          extract_lane(e, "ptr", item.addresses, k), TYPE_SIZES[item.m]))
        if marked then
          w.put((" store i8 1, ptr %s, align 1"):format(extract_lane(e, "ptr", item.marks, k)))
        end
      end
    end
  end
end

-- Emits code that tests whether a condition holds in any row of these vectors.
local function emit_any_row(vectors, n)
  local w, any_lane = vectors[1].w, nil
  for _, e in ipairs(vectors) do
    local v = e.to_i1(e.value(n))
    any_lane = any_lane and w.set(("or %s %s, %s"):format(vector("i1", e.width), any_lane, v)) or v
  end
  return emit_any_lane(vectors[1], any_lane)
end

-- Emits a block that is skipped unless a condition holds in some row of these vectors.
local function emit_if_any(vectors, n, name, write)
  local w = vectors[1].w
  name = w.label(name)
  w.put((" br i1 %s, label %%%s, label %%%send"):format(emit_any_row(vectors, n), name, name))
  w.begin(name)
  for _, e in ipairs(vectors) do e.open() end
  write()
  for _, e in ipairs(vectors) do e.close() end
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
end

-- Stores a value to one row of a column.
local function store_to_row(e, key, memory_type, v, row, marked)
  local w, index = e.w, e.w.set(("sext i32 %s to i64"):format(row))
  if v then
    local address = w.set(("getelementptr %s, ptr %%c%d, i64 %s"):format(memory_type, e.slot[key], index))
    w.put((" store %s %s, ptr %s, align %d"):format(memory_type, v, address, TYPE_SIZES[memory_type]))
  end
  if marked then
    w.put((" store i8 1, ptr %s, align 1"):format(w.set(("getelementptr i8, ptr %%m%d, i64 %s"):format(e.slot[key],
      index))))
  end
end

-- Returns the bits of the lanes that meet a condition, among the first `count` lanes.
local function emit_first_lane_bits(e, condition, count)
  local w = e.w
  local is_short = w.set(("icmp slt i64 %s, %d"):format(count, e.width))
  local other_bits = w.set(("shl i64 -1, %s"):format(w.set(("select i1 %s, i64 %s, i64 %d"):format(is_short, count,
    e.width))))
  return w.set(("and i64 %s, %s"):format(emit_lane_bits(e, condition), w.set(("xor i64 %s, -1"):format(other_bits))))
end

-- Stores a column of the component rows whose indices are in `own_rows`, one lane at a time, for the lanes that write
-- the column. The number of these lanes differs from vector to vector, so the lanes are read from memory.
local function store_own_rows(e, key, v, marked, limits)
  local w, t = e.w, MEMORY_TYPES[e.result.columns[key].field.type]
  local rows, mark = e.value(e.result.own_rows[key]), e.result.marks[key]
  emit_if_any({ e }, mark, "own", function()
    if e.width == 1 then
      return store_to_row(e, key, t, v, rows, marked)
    end
    local lane_bits = emit_first_lane_bits(e, mark, limits.count)
    w.put((" store %s %s, ptr %%temp_a, align 64"):format(vector("i32", e.width), rows))
    if v then
      w.put((" store %s %s, ptr %%temp_b, align 64"):format(vector(t, e.width), v))
    end
    emit_each_lane(e, lane_bits, function(lane)
      local function load_lane(lane_type, array)
        return w.set(("load %s, ptr %s, align %d"):format(lane_type, w.set(("getelementptr %s, ptr %s, i64 %s"):format(
          lane_type, array, lane)), TYPE_SIZES[lane_type]))
      end
      store_to_row(e, key, t, v and load_lane(t, "%temp_b"), load_lane("i32", "%temp_a"), marked)
    end)
  end)
end

local function store_column(e, key, v, marked, limits)
  if e.result.own_rows[key] then
    return store_own_rows(e, key, v, marked, limits)
  elseif v then
    store(e, key, MEMORY_TYPES[e.result.columns[key].field.type], v, limits)
  end
  if marked and e.result.marks[key] then
    store_mark(e, key, e.value(e.result.marks[key]), limits)
  end
end

-- Emits conditional stores: evaluates the values of all columns, then stores them.
local function store_conditional(vectors, keys, marked)
  local values = {}
  for i, e in ipairs(vectors) do
    values[i] = {}
    for _, key in ipairs(keys) do
      values[i][key] = emit_value(e, key)
    end
  end
  for i, e in ipairs(vectors) do
    for _, key in ipairs(keys) do
      store_column(e, key, values[i][key], marked, { count = e.left })
    end
  end
end

-- Maximum number of rows per vector that are calculated one by one instead of all together.
local MAX_SPARSE_ROWS = 2

-- Like store_conditional, but calculates row by row if few rows meet the condition.
local function store_sparse(e, condition, keys, marked)
  local w = e.w
  emit_if_any({ e }, condition, "write", function()
    local row_bits, name = emit_lane_bits(e, condition), w.label("few")
    local count_bits = w.intrinsic("llvm.ctpop.i64", "i64", "i64")
    local count = w.set(("call i64 %s(i64 %s)"):format(count_bits, row_bits))
    local is_sparse = w.set(("icmp ule i64 %s, %d"):format(count, MAX_SPARSE_ROWS))
    w.put((" br i1 %s, label %%%s, label %%%smany"):format(is_sparse, name, name))
    w.begin(name)
    emit_each_lane(e, row_bits, function(lane)
      local row = e.at_lane(lane)
      row.assume(condition)
      store_conditional({ row }, keys, marked)
    end)
    w.put((" br label %%%send"):format(name))
    w.begin(name .. "many")
    store_conditional({ e }, keys, marked)
    w.put((" br label %%%send"):format(name))
    w.begin(name .. "end")
  end)
end

-- Stores all columns. `values`: new values by vector. Without `limits`, all rows are stored; otherwise only the first
-- `limits.count` rows of the vector, whose mask is `limits.lanes`.
local function store_all(vectors, values, marked, limits)
  local conditional, conditions, keys = vectors[1].stores.conditional, {}, {}
  for _, key in ipairs(sorted_keys(vectors[1].result.mem)) do
    local condition = conditional[key]
    if condition and not keys[condition] then
      conditions[#conditions + 1], keys[condition] = condition, {}
    end
    if condition then
      table.insert(keys[condition], key)
    end
    for i, e in ipairs(condition and {} or vectors) do
      store_column(e, key, values[i][key], marked, limits or { count = e.left })
    end
  end
  for _, condition in ipairs(conditions) do
    if vectors[1].stores.sparse[condition] then
      for _, e in ipairs(vectors) do
        store_sparse(e, condition, keys[condition], marked)
      end
    else
      emit_if_any(vectors, condition, "write", function() store_conditional(vectors, keys[condition], marked) end)
    end
  end
end

local PARAMETER_BITS = { id = true, bits = true }

local function emit_entry(w, result, slot, parameter, marked, width)
  w.put("define i64 @rows(ptr %call, i64 %begin, i64 %end) #0 {\nentry:")
  if #result.loops > 0 then
    w.put((" %%work = alloca i64, align 8\n store i64 %d, ptr %%work, align 8"):format(MAX_WORK))
  end
  w.put((" %%temp_a = alloca [%d x double], align 64\n %%temp_b = alloca [%d x double], align 64"):format(width, width))
  if result.uses_tiles then
    w.put((" %%temp_c = alloca [%d x i32], align 64"):format(width))
  end
  local function field(name, offset, t)
    local address = w.set(("getelementptr i8, ptr %%call, i64 %d"):format(offset))
    w.put((" %s = load %s, ptr %s, align 8"):format(name, t, address))
  end
  for _, key in ipairs(sorted_keys(slot)) do
    field("%c" .. slot[key], slot[key] * 8, "ptr")
    if marked and result.columns[key].written then
      field("%m" .. slot[key], MARKS + slot[key] * 8, "ptr")
    end
  end
  local is_f32 = {}
  for _, item in ipairs(result.carried) do
    is_f32[item.key] = item.node.t == "f32"
  end
  for _, item in ipairs(result.parameters) do
    local i = parameter[item.key]
    field("%d" .. i, PARAMETERS + i * 8, "double")
    w.put(((item.key == "dt" or is_f32[item.key]) and " %%p%d = fptrunc double %%d%d to float"
      or item.kind == "boolean" and " %%p%d = fcmp une double %%d%d, 0.0"
      or PARAMETER_BITS[item.kind] and " %%p%d = fptosi double %%d%d to i32"
      or " %%p%d = fadd double %%d%d, 0x8000000000000000"):format(i, i)) -- adding -0 leaves every number unchanged
  end
  field("%first", BASE, "i64")
  field("%functions", FUNCTIONS, "ptr")
  field("%find", FIND, "ptr")
  if #result.emissions > 0 then
    field("%emitted", EMITTED, "ptr")
  end
end

local function create_buffers(w, plan, buffers)
  local count = 0
  local function add_buffer(n, t)
    buffers[n] = buffers[n] or "%ahead" .. count
    w.put((" %s = alloca [%d x %s], align 64"):format(buffers[n], BLOCK, t))
    if n.b then
      w.put((" %sb = alloca [%d x %s], align 64"):format(buffers[n], BLOCK, t))
    end
    count = count + 1
  end
  for _, n in ipairs(plan.finds) do
    add_buffer(n, "i32")
  end
  for _, nodes in ipairs(plan.exact) do
    for _, n in ipairs(nodes) do
      add_buffer(n, "double")
    end
  end
end

-- Evaluates the arguments of batched functions for all rows of a block, vector by vector, then calls the functions.
local function call_batched(e, nodes, depth)
  local w, entry_block, name = e.w, e.w.at, "out" .. depth
  w.put((" br label %%%s"):format(name))
  w.begin(name)
  w.put((" %%%sat = phi i64 [ 0, %%%s ], [ %%%snext, %%%s ]"):format(name, entry_block, name, name))
  local rows = e.at(w.set(("add i64 %%v, %%%sat"):format(name)), ("%%%sat"):format(name))
  for _, n in ipairs(nodes) do
    for i, x in ipairs { n.a, n.b } do
      local address = w.set(("getelementptr double, ptr %s%s, i64 %%%sat"):format(e.buffers[n], i == 2 and "b" or "",
        name))
      w.put((" store %s %s, ptr %s, align 8"):format(vector("double", e.width), rows.value(x), address))
    end
  end
  w.put((" %%%snext = add i64 %%%sat, %d\n %%%smore = icmp slt i64 %%%snext, %%block"):format(name, name, e.width, name,
    name))
  w.put((" br i1 %%%smore, label %%%s, label %%%send"):format(name, name, name))
  w.begin(name .. "end")
  for _, n in ipairs(nodes) do
    call_exact(w, n.v, e.buffers[n], e.buffers[n] .. (n.b and "b" or ""), "%block")
  end
end

-- Emits the batched calls of a block, executed at the block's first vector. `plan`: result of batched_calls.plan.
local function begin_block(e, plan, width_of_iteration)
  local w = e.w
  if not plan.finds[1] and not plan.exact[1] then
    return
  end
  w.put((" %%since = sub i64 %%v, %%begin\n %%of_block = and i64 %%since, %d"):format(plan.rows - 1))
  w.put(" %is_new = icmp eq i64 %of_block, 0\n br i1 %is_new, label %ask, label %asked")
  w.begin("ask")
  w.put((" %%up = add i64 %%left, %d\n %%whole = and i64 %%up, %d"):format(width_of_iteration - 1, -width_of_iteration))
  w.put((" %%few = icmp slt i64 %%whole, %d\n %%block = select i1 %%few, i64 %%whole, i64 %d"):format(plan.rows,
    plan.rows))
  for _, n in ipairs(plan.finds) do
    local ids = w.set(("getelementptr i32, ptr %%c%d, i64 %%v"):format(e.slot[n.a.v]))
    w.put((" call void %%find(ptr %%call, i64 %d, ptr %s, ptr %s, i64 %%block)"):format(n.v, ids, e.buffers[n]))
  end
  for depth, nodes in ipairs(plan.exact) do
    call_batched(e, nodes, depth)
  end
  w.put(" br label %asked")
  w.begin("asked")
end

-- Emits the phis of the loop-carried values, which the code receives and returns in its parameters.
local function begin_carried(w, result, parameter)
  for _, item in ipairs(result.carried) do
    local i, t = parameter[item.key], LLVM_TYPES[item.node.t]
    w.put((" %%k%d = phi %s [ %%p%d, %%entry ], [ %%n%d, %%stored ]"):format(i, t, i, i))
  end
end

local function end_carried(w, result, parameter)
  for _, item in ipairs(result.carried) do
    local i, t = parameter[item.key], item.node.t
    local v = t == "bool" and w.set(("select i1 %%k%d, double 1.0, double 0.0"):format(i))
      or t == "i32" and w.set(("sitofp i32 %%k%d to double"):format(i))
      or t == "f32" and w.set(("fpext float %%k%d to double"):format(i)) or "%k" .. i
    local p = w.set(("getelementptr i8, ptr %%call, i64 %d"):format(PARAMETERS + i * 8))
    w.put((" store double %s, ptr %s, align 8"):format(v, p))
  end
end

-- Emits phis for the loop-carried values after a row: the new value from the row's body (block `body_block`), or the
-- old value if the row was skipped (block `skip_block`).
local function merge_carried(e, body_block, skip_block, new_values)
  for i, item in ipairs(e.result.carried) do
    local n, t = e.parameter[item.key], LLVM_TYPES[item.node.t]
    e.w.put((" %%n%d = phi %s [ %s, %%%s ]"):format(n, t, new_values[i], body_block)
      .. (skip_block and (", [ %%k%d, %%%s ]"):format(n, skip_block) or ""))
  end
end

-- Emits loads of the values that the row before the first row of this call has (compile/previous_row.lua). If there is
-- no such row, loads the values of the first row: they are not used. Returns the names of the values.
local function load_previous(w, items, create_emitter_at)
  local values = {}
  if #items > 0 then
    local first_row = w.set("add i64 %begin, %first")
    local is_preceded = w.set(("icmp sgt i64 %s, 0"):format(first_row))
    local e = create_emitter_at(w.set(("sub i64 %%begin, %s"):format(w.set(("zext i1 %s to i64"):format(is_preceded)))))
    for i, item in ipairs(items) do
      values[i] = e.value(item.own)
    end
  end
  return values
end

-- Emits the phis of the previous row's values, and makes the emitter use them.
local function begin_previous(e, items, initial_values)
  for i, item in ipairs(items) do
    e.w.put((" %%previous%d = phi %s [ %s, %%entry ], [ %%next%d, %%stored ]"):format(i, e.type(item.own),
      initial_values[i], i))
    for _, n in ipairs(item.reads) do
      e.previous[n] = "%previous" .. i
    end
  end
end

-- Returns the values that the next row reads, after the writes of this row.
local function emit_next_values(e)
  local new_values = {}
  for i, item in ipairs(e.result.previous) do
    local kind = e.result.columns[item.key].field.type
    new_values[i] = canonicalize(e, e.value(item.next), kind, e.type(item.next))
  end
  return new_values
end

local function merge_previous(e, body_block, skip_block, new_values)
  for i, item in ipairs(e.result.previous) do
    e.w.put((" %%next%d = phi %s [ %s, %%%s ]"):format(i, e.type(item.own), new_values[i], body_block)
      .. (skip_block and (", [ %s, %%%s ]"):format(e.value(item.own), skip_block) or ""))
  end
end

-- Emits stores of the rows before the vector's first side exit. Returns the number of these rows, as an IR value.
local function store_before_exit(e, values, marked, store_shared_columns)
  local w, width = e.w, e.width
  if width == 1 then
    return "0"
  end
  local exits = e.to_i1(e.value(e.result.exit_condition))
  local exit_bits = w.set(("bitcast %s %s to i%d"):format(vector("i1", width), exits, width))
  local count_zeros = w.intrinsic("llvm.cttz.i" .. width, "i" .. width, ("i%d, i1"):format(width))
  local count = w.set(("call i%d %s(i%d %s, i1 true)"):format(width, count_zeros, width, exit_bits))
  count = w.set(("zext i%d %s to i64"):format(width, count))
  local is_below_end = w.set(("icmp slt i64 %s, %%left"):format(count))
  local row_count = w.set(("select i1 %s, i64 %s, i64 %%left"):format(is_below_end, count))
  store_all({ e }, { values }, marked, { count = row_count, lanes = emit_first_lanes_mask(e, count) })
  if store_shared_columns then
    store_shared_columns(row_count)
  end
  return count
end

-- Returns the condition under which a row writes an entity field; nil if no row writes one. The reverse lookup (from an
-- entity to its referrers) must then be updated.
---@param result engine.symbolic_exec.Result
---@return engine.ir.Node?
function M.writes_links(result)
  local condition = ir.constant(false)
  for _, key in ipairs(sorted_keys(result.mem)) do
    local is_entity = result.columns[key].field.type == "entity"
    condition = is_entity and not M.is_unchanged(result.mem[key], key) and ir.OR(condition, result.marks[key])
      or condition
  end
  for _, write in ipairs(result.writes) do
    condition = result.columns[write.key].field.type == "entity" and ir.OR(condition, write.pred) or condition
  end
  return not ir.is_const(condition, false) and condition or nil
end

local function mark_links(e)
  local w, condition = e.w, e.result.links
  if condition == nil then
    condition = M.writes_links(e.result)
  end
  if not condition then
    return
  end
  local address = w.set(("getelementptr i8, ptr %%call, i64 %d"):format(LINKS))
  local links = w.set(("load ptr, ptr %s, align 8"):format(address))
  w.put((" store i8 1, ptr %s, align 1"):format(w.set(("select i1 %s, ptr %s, ptr %%temp_a"):format(emit_any(e,
    condition), links))))
end

-- Emits calls that report out-of-range numbers to native/loop.c, which keeps, for each store, the report of the lowest
-- row.
local function report_values(e)
  local w, out_of_range, any_out_of_range = e.w, {}, nil
  for i, item in ipairs(e.result.reports) do
    out_of_range[i] = e.to_i1(e.value(item.bad))
    any_out_of_range = any_out_of_range and w.set(("or %s %s, %s"):format(vector("i1", e.width), any_out_of_range,
      out_of_range[i])) or out_of_range[i]
  end
  if not any_out_of_range then
    return
  end
  local name = w.label("tell")
  w.put((" br i1 %s, label %%%s, label %%%send"):format(emit_any_lane(e, any_out_of_range), name, name))
  w.begin(name)
  e.open()
  local f = w.set(("getelementptr i8, ptr %%call, i64 %d"):format(REPORT))
  f = w.set(("load ptr, ptr %s, align 8"):format(f))
  for i, item in ipairs(e.result.reports) do
    local mask = w.set(("zext %s %s to %s"):format(vector("i1", e.width), out_of_range[i], vector("i8", e.width)))
    w.put((" store %s %s, ptr %%temp_a, align 8"):format(vector("double", e.width), e.value(item.value)))
    w.put((" store %s %s, ptr %%temp_b, align 8"):format(vector("i8", e.width), mask))
    w.put((" call void %s(ptr %%call, i64 %d, i64 %s, ptr %%temp_a, ptr %%temp_b, i64 %d)"):format(f, i - 1, e.row,
      e.width))
  end
  e.close()
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
end

local function evaluate_emission(e, emission)
  local values = {}
  for k, item in ipairs(emission.fields) do
    values[k] = { convert_to_memory_type(e, item.field.type, e.value(item.node)) }
  end
  return values
end

-- Evaluates the conditions and values of emitted events. If the rows store nothing, the values are evaluated later,
-- only for vectors that emit an event.
local function evaluate_emissions(e)
  local out = {}
  for i, emission in ipairs(e.result.emissions) do
    out[i] = { emission = emission, pred = e.to_i1(e.value(emission.pred)),
      values = next(e.result.mem) ~= nil and evaluate_emission(e, emission) or nil }
  end
  return out
end

-- Appends the events of the vector's rows to the columns of native_emitted_t. Stores every lane after the events stored
-- so far, but counts only the lanes that emit, so the next lane overwrites the values of a lane that does not emit.
local function append_events(e, emission, number, first_column)
  local w, width = e.w, e.width
  local mask = w.set(("and %s %s, %s"):format(vector("i1", width), emission.pred, width > 1
    and emit_first_lanes_mask(e, "%left") or "true"))
  local name = w.label("emit")
  w.put((" br i1 %s, label %%%s, label %%%send"):format(emit_any_lane(e, mask), name, name))
  w.begin(name)
  e.open()
  local values = emission.values or evaluate_emission(e, emission.emission)
  -- Shifting bits costs less than extracting the lanes of a mask.
  local mask_bits = w.set(("zext i%d %s to i64"):format(width, width == 1 and mask
    or w.set(("bitcast %s %s to i%d"):format(vector("i1", width), mask, width))))
  local count_address = w.set(("getelementptr i8, ptr %%emitted, i64 %d"):format((number - 1) * 8))
  local count, columns = w.set(("load i64, ptr %s, align 8"):format(count_address)), {}
  for k in ipairs(values) do
    local address = w.set(("getelementptr i8, ptr %%emitted, i64 %d"):format(EMITTED_COLUMNS
      + (first_column + k - 1) * 8))
    columns[k] = w.set(("load ptr, ptr %s, align 8"):format(address))
  end
  for lane = 0, width - 1 do
    for k, item in ipairs(values) do
      local v, t = item[1], item[2]
      local address = w.set(("getelementptr %s, ptr %s, i64 %s"):format(t, columns[k], count))
      w.put((" store %s %s, ptr %s, align %d"):format(t, extract_lane(e, t, v, lane), address, TYPE_SIZES[t]))
    end
    local is_emitted = w.set(("and i64 %s, 1"):format(w.set(("lshr i64 %s, %d"):format(mask_bits, lane))))
    count = w.set(("add i64 %s, %s"):format(count, is_emitted))
  end
  w.put((" store i64 %s, ptr %s, align 8"):format(count, count_address))
  e.close()
  w.put((" br label %%%send"):format(name))
  w.begin(name .. "end")
end

local function append_all_events(e, emissions)
  local first_column = 0
  for i, emission in ipairs(emissions) do
    append_events(e, emission, i, first_column)
    first_column = first_column + #emission.emission.fields
  end
end

-- Emits the loop body for the rows of one vector.
local function emit_body(e, marked, has_exits)
  local w, result, new_values, skip_block = e.w, e.result, {}, nil
  -- Skips the vector if no row is active. There is no such branch if `active` depends on the previous row, because it
  -- would be hard to predict.
  if not is_always(result.active) and not previous_row.is_read_by(result.active, result.previous) then
    for _, item in ipairs(result.previous) do
      e.value(item.own)
    end
    w.put((" br i1 %s, label %%active, label %%stored"):format(emit_any(e, result.active)))
    skip_block = w.at
    w.begin("active")
  end
  local has_side_exit, values = has_exits and emit_any(e, result.exit_condition), emit_values(e, marked)
  local store_shared_columns = #result.writes > 0 and store_shared(e, marked)
  local emissions = evaluate_emissions(e)
  for i, item in ipairs(result.carried) do
    new_values[i] = e.value(item.node)
  end
  local next_values = emit_next_values(e)
  mark_links(e)
  if has_side_exit then
    w.put((" br i1 %s, label %%some, label %%all"):format(has_side_exit))
    w.begin("all")
  end
  report_values(e)
  store_all({ e }, { values }, marked)
  if store_shared_columns then
    store_shared_columns("%left")
  end
  append_all_events(e, emissions)
  w.put(" br label %stored\nstored:")
  merge_carried(e, w.at, skip_block, new_values)
  merge_previous(e, w.at, skip_block, next_values)
  w.put(" br label %head")
  if has_side_exit then
    w.put("some:")
    local count = store_before_exit(e, values, marked, store_shared_columns)
    w.put((" br label %%exit\nexit:\n %%at = add i64 %%v, %s\n br label %%done"):format(count))
  end
end

local function write_vectors(vectors, marked)
  local values = {}
  for i, e in ipairs(vectors) do
    values[i] = emit_values(e, marked)
  end
  for _, e in ipairs(vectors) do
    mark_links(e)
    report_values(e)
  end
  store_all(vectors, values, marked)
end

-- Emits the bodies of all vectors in one iteration. If rows may be inactive, a branch skips vectors without active
-- rows: one branch for each vector if the computation is expensive, otherwise one for the whole iteration.
local function emit_bodies(vectors, marked, is_expensive)
  local w, active = vectors[1].w, vectors[1].result.active
  if is_always(active) then
    write_vectors(vectors, marked)
  elseif is_expensive then
    for _, e in ipairs(vectors) do
      emit_if_any({ e }, active, "vector", function() write_vectors({ e }, marked) end)
    end
  else
    emit_if_any(vectors, active, "vector", function() write_vectors(vectors, marked) end)
  end
  w.put(" br label %stored\nstored:\n br label %head")
end

local IS_COMPARISON = { lt = true, le = true, eq = true, ["and"] = true, ["or"] = true, ["not"] = true }

local function list_operands(n)
  local operands = n.near or n
  if n.op ~= "after_loop" then
    return { operands.a or false, operands.b or false, n.c or false }
  end
  local list = { n.loop.guard }
  for _, item in ipairs(n.loop.items) do
    list[#list + 1] = item.init
    list[#list + 1] = item.next
  end
  return list
end

-- Counts a node and its operands, each once: 64-bit nodes except constants and parameters (`wide`), 64-bit divisions
-- and square roots (`divisions`), and comparisons and logical operations on narrower values (`narrow_masks`). Sets
-- `has_masks` if any of the nodes is a boolean that is not constant. Does not count nodes that are the same in all
-- rows. `count.is_uniform`: engine.symbolic_exec.Result.is_uniform.
local function count_nodes(n, count)
  if count[n] or count.is_uniform and count.is_uniform(n) then
    return
  end
  count[n] = true
  for _, x in ipairs(list_operands(n)) do
    if x then
      count_nodes(x, count)
    end
  end
  if n.t == "f64" and n.op ~= "parameter" and n.op ~= "const" and not (n.op == "widen" and n.a.op == "parameter") then
    count.wide = count.wide + 1
    count.divisions = count.divisions + ((n.op == "div" or n.op == "sqrt") and 1 or 0)
  end
  count.has_masks = count.has_masks or n.t == "bool" and n.op ~= "const" or nil
  local operands = n.near or n
  if n.t ~= "f64" and IS_COMPARISON[n.op] and (not operands.a or operands.a.t ~= "f64") then
    count.narrow_masks = count.narrow_masks + 1
  end
end

-- Returns the number of rows per vector and, unless rows are processed one at a time, whether any node is a mask. The
-- default is ROWS_OF_VECTOR. It is doubled if no node has 64 bits or, with AVX-512, if there are at most two 64-bit
-- nodes for each mask of narrower values. Otherwise it is halved if, with AVX-512, rows may be inactive and divide or
-- take square roots in f64, because a shorter vector is skipped more often.
---@param result engine.symbolic_exec.Result
---@param level string|integer
---@return integer
local function choose_width(result, level)
  if result.in_order then
    return 1
  end
  local count = { wide = 0, narrow_masks = 0, divisions = 0, is_uniform = result.is_uniform }
  count_nodes(result.exit_condition, count)
  count_nodes(result.active, count)
  for _, n in pairs(result.mem) do
    count_nodes(n, count)
  end
  for _, emission in ipairs(result.emissions) do
    for _, item in ipairs(emission.fields) do
      count_nodes(item.node, count)
    end
  end
  local is_narrow = count.wide == 0 or level == AVX512 and count.wide <= 2 * count.narrow_masks
  local is_idle = level == AVX512 and count.divisions > 0 and not is_always(result.active)
  return ROWS_OF_VECTOR[level] * (is_narrow and 2 or is_idle and 0.5 or 1), count.has_masks
end
M.choose_width = choose_width

local function write_text(result, slot, level, marked, width, count)
  local w, parameter = create_writer(), {}
  for i, item in ipairs(result.parameters) do
    parameter[item.key] = i - 1
  end
  local has_exits = not (result.exit_condition.op == "const" and result.exit_condition.v == false)
  local plan, buffers = { finds = {}, exact = {} }, {}
  if width == 1 or not has_exits then
    plan = batched_calls.plan(result)
    plan.rows = has_exits and BLOCK_WITH_EXITS or BLOCK
  end
  result.stores = conditional_stores.plan(result, width > 1 and not has_exits and #result.writes == 0)
  result.previous = width == 1 and previous_row.plan(result) or {}
  emit_entry(w, result, slot, parameter, marked, width)
  create_buffers(w, plan, buffers)
  local initial_values = load_previous(w, result.previous, function(row)
    return create_emitter(w, result, slot, parameter, level, width, {}, row, "0")
  end)
  w.put(" br label %head\nhead:\n %v = phi i64 [ %begin, %entry ], [ %next, %stored ]")
  local e = create_emitter(w, result, slot, parameter, level, width, buffers, "%v", "%of_block")
  begin_carried(w, result, parameter)
  begin_previous(e, result.previous, initial_values)
  w.put((" %%next = add i64 %%v, %d\n %%left = sub i64 %%end, %%v\n %%more = icmp sgt i64 %%left, 0"):format(
    width * count))
  w.put(" br i1 %more, label %body, label %done")
  w.begin("body")
  begin_block(e, plan, width * count)
  if count == 1 then
    emit_body(e, marked, has_exits)
  else
    emit_bodies({ e, create_next_emitter(e) }, marked, width <= ROWS_OF_VECTOR[level])
  end
  w.put("done:\n %s = phi i64 [ %v, %head ]" .. (has_exits and ", [ %at, %exit ]" or ""))
  end_carried(w, result, parameter)
  w.put(" ret i64 %s\n}")
  w.put('attributes #0 = { noredzone nounwind "probe-stack"="inline-asm" "prefer-vector-width"="512" '
    .. '"no-trapping-math"="true" }')
  for _, line in ipairs(sorted_keys(w.declared)) do
    w.put(line)
  end
  return table.concat(w.lines, "\n") .. "\n", width * count
end

-- Returns the IR text of a result, and the number of rows per iteration. `slot`: column indices by key. `marked`: the
-- code marks changed rows.
---@param result engine.symbolic_exec.Result
---@param slot table<string, integer>
---@param level integer value of codegen_level_t
---@param marked boolean
---@return string, integer
function M.generate(result, slot, level, marked)
  local is_plain = not result.in_order and #result.writes == 0 and #result.emissions == 0
    and ir.is_const(result.exit_condition, false)
  local width, has_masks = choose_width(result, level)
  -- Without masks, LLVM splits wide vectors at no cost, and in inner loops, two independent vectors hide the latency of
  -- additions. With lookups, the number of loads in flight matters more than the cost of masks.
  local can_split = is_plain and (not has_masks or #result.lookups > 0) or result.is_uniform and not has_masks
  if level == AVX512 and can_split then
    return write_text(result, slot, level, marked, width * 2, 1)
  elseif level == AVX512 and is_plain then
    local text, width_of_iteration = write_text(result, slot, level, marked, width, 2)
    if #text <= MAX_TEXT_OF_TWO_VECTORS then
      return text, width_of_iteration
    end
  end
  return write_text(result, slot, level, marked, width, 1)
end

return M
