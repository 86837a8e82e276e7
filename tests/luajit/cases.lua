-- Programs for the changes that correct LuaJIT's compiler, stack or parser (engine/script/luajit/changes). Without its
-- change, a program crashes when it is compiled, or returns different values than the interpreted program.
local bit, ffi = require("bit"), require("ffi")
local new_table, clear_table = require("table.new"), require("table.clear")
local select = select

---@class luajit.case
---@field change string name of the patch
---@field run fun(): any ...
---@field options? string arguments of jit.opt.start, separated by spaces

---@type luajit.case[]
local cases = {}

---@param change string
---@param run fun(): any ...
---@param options? string
local function case(change, run, options)
  cases[#cases + 1] = { change = change, run = run, options = options }
end

-- ---- light userdata

case("read_bits_of_light_userdata", function()
  local a, b = 1, 2
  local function f()
    return a, b
  end
  local values, count = { debug.upvalueid(f, 1), debug.upvalueid(f, 2), 5, "text", false, {} }, 0
  local function get_expected_bits(v)
    local address = tostring(v):match("^userdata: 0x(%x+)$")
    return address and bit.tobit(tonumber(address:sub(-8), 16)) or 0
  end
  local expected = {}
  for i = 1, #values do
    expected[i] = get_expected_bits(values[i])
  end
  for i = 0, 99 do
    local k = i % #values + 1
    count = count + (ffi.lowbits(values[k]) == expected[k] and 1 or 0)
  end
  local sum = 0
  for _ = 1, 100 do
    sum = sum + (ffi.lowbits(values[1]) == expected[1] and expected[1] ~= 0 and 1 or 0)
  end
  return count, sum, pcall(ffi.lowbits)
end)

-- ---- tables

case("allocate_keys_of_sunk_tables_once", function()
  local is_hot, n = false, 0
  local function f(x)
    local t = {}
    t.key = false
    t.key = x == x
    if is_hot then -- the side trace that creates the table begins here
      n = n + 1
    end
    return t.key
  end
  local function call(x)
    return (f(x))
  end
  jit.off(call)
  for _ = 1, 8 do
    call(0)
  end
  is_hot = true
  for _ = 1, 8 do
    call(0)
  end
  return f(0)
end)

case("check_changed_keys", function()
  local count = 0
  local metatable = { __newindex = function(t, key, v)
    count = count + 1
    rawset(t, key, v)
  end }
  local function store(a, b)
    setmetatable(a, metatable)
    setmetatable(b, metatable)
    for _ = 1, 8 do
      a[10], b[10], a[10] = 1, nil, 1
      b[10] = 1
    end
  end
  local large = {} -- nodes whose position does not fit in a trace
  for i = 1, 65536 do
    large[-i] = true
  end
  store({}, large)
  count = 0
  local small = {}
  store(small, small)
  return count
end)

case("check_changed_keys", function()
  local results = {}
  for n, i in ipairs { 6, 6, 6, 6, 7, 7, 8, 6 } do
    local t = { 1, 2, 3, 4, 5, 6, "7", "8" }
    t[i], t[i + 1] = "x", "x"
    t[1], t[2], t[3], t[4], t[5], t[6] = nil, nil, nil, nil, nil, nil
    t["1000"] = 1000 -- t is rehashed, which moves the numbers of its array part
    results[n] = t[8]
  end
  return unpack(results)
end)

case("check_new_keys", function()
  local function store(t, key)
    t[key] = true
  end
  local t, count = new_table(0, 8), 0
  store(t, 1.5)
  store(t, 2.5)
  store(t, 3.5)
  store(t, 4.5)
  local stored = pcall(store, t, 0 / 0)
  for _ in next, t do
    count = count + 1
  end
  return stored, count
end)

case("load_entries_before_new_keys", function()
  local lists, objects, sum = {}, {}, 0
  for i = 1, 40 do
    lists[i], objects[i] = { i + 0.5 }, { x = i + 0.25 }
  end
  for i = 1, 40 do
    local list, object = lists[i], objects[i]
    local a = list[1]
    clear_table(list)
    sum = sum + a
    local b = object.x
    clear_table(object)
    sum = sum + b
  end
  return sum
end)

case("restore_tables_with_metamethods", function()
  local metatable, count = {}, 0
  for i = 1, 40 do
    local t = setmetatable({}, metatable)
    t.__index = i
    if i % 10 == 9 then
      count = count + (getmetatable(t) == metatable and 1 or 100)
      metatable = { i }
    end
    if i % 7 == 0 then
      count = count + (debug.getmetatable(t) == nil and 1000 or 1)
    end
  end
  return count
end)

-- ---- arrays and loops

case("check_bounds_in_all_iterations", function()
  local list
  local count = 0
  local function fill()
    count = count + 1
    if count > 100 then
      return
    end
    list = { nil, nil, nil, nil }
    for i = 1, 2 do
      if i ~= 1 then
        for k = -0, i do
          if k ~= 0 then
            list[k] = nil
            list = {}
          end
        end
      end
    end
    fill()
  end
  fill()
  return count, #list
end, "-fuse")

case("skip_loops_over_nan", function()
  local nan = 0 / 0
  local function count(first, last, step)
    local n = 0
    for _ = first, last, step do
      n = n + 1
      if n > 5 then
        break
      end
    end
    return n
  end
  for _ = 1, 20 do
    count(1, 3, 1)
  end
  local results = {}
  for i = 1, 20 do
    results[i] = table.concat({ count(nan, 3, 1), count(1, nan, 1), count(1, 3, nan), count(3, nan, -1) }, " ")
  end
  return unpack(results)
end)

case("truncate_indices_of_ipairs", function()
  local step, t, index = ipairs {}, { 10, 20, 30 }, nil
  for _ = 1, 20 do
    index = step(t, 0.5)
  end
  return index
end)

-- ---- numbers and strings

case("compare_in_order", function()
  local numbers, result = {}, {}
  for i = 1, 40 do
    numbers[i] = i < 30 and i or 0 / 0
  end
  local three = {}
  for i = 1, 40 do
    three[i] = 3
  end
  for i = 1, 40 do
    result[i] = tostring(math.min(numbers[i], three[i])) .. tostring(math.min(three[i], numbers[i]))
  end
  local zero, negative = 0, -0
  local signs = {}
  for i = 1, 20 do
    signs[i] = 1 / math.min(zero, negative) + 1 / math.max(negative, zero) * 2
  end
  return result[40], signs[1], signs[20]
end)

case("compute_ranges_of_strings", function()
  local s, n = "abcdefghij", 0
  local firsts, lasts = {}, {}
  for i = 1, 40 do
    firsts[i], lasts[i] = i < 20 and 2 or 2147483647, i < 20 and -1 or -2147483648
  end
  for i = 1, 40 do
    n = n + #s:sub(firsts[i], lasts[i])
  end
  return n
end)

case("assemble_64_bit_integers", function()
  local a, b, sum = 7ULL, 3ULL, 0ULL
  for i = 1, 20 do
    local x = a + i
    sum = sum + -x / -b
  end
  return tostring(sum)
end)

case("assemble_64_bit_integers", function()
  local results = {}
  for i = 1, 8 do
    local n = bit.band(i, 7LL)
    results[i] = tostring(bit.rol(n, 32)) .. tostring(bit.ror(n, 32)) .. tostring(bit.rshift(bit.band(-i, 7LL), 32))
  end
  return unpack(results)
end)

-- ---- calls

case("count_slots_of_varargs", function()
  local function f(...)
    local sum = 0
    for _ = 1, 20 do
      local a, b = ...
      sum = sum + a * 10 + b
    end
    return sum
  end
  return f(1, 2), f(1, 2, 3), f(5, 6, 7, 8)
end)

case("count_slots_of_varargs", function()
  local function f(...)
    local result
    for _ = 1, 8 do
      result = select("1", ...)
    end
    return result
  end
  return (f(1, 2, 3, 4))
end)

case("count_slots_of_varargs", function(...)
  local first, last
  for _ = 1, 3 do
    first = ...
  end
  last = ...
  return first == last
end)

case("check_stack_of_calls", function()
  local function count(...)
    return select("#", ...)
  end
  local results = {}
  for i = 1, 6 do
    local n = i * 300
    local list = {}
    for k = 1, n do
      list[k] = pcall
    end
    list[n + 1] = count
    results[i] = coroutine.wrap(function() return select(n + 1, pcall(unpack(list))) end)()
  end
  return unpack(results)
end)

case("record_concatenation_of_objects", function()
  local object = setmetatable({}, { __concat = function(_, other) return other end })
  local varargs = setmetatable({}, { __concat = function(...)
    local _, second = ...
    return second
  end })
  local protected = setmetatable({}, { __call = function(self) return self end, __concat = pcall })
  local a, b, c
  for _ = 1, 8 do
    a = object .. "" .. "" .. "" .. "" .. "x"
    b = "" .. "" .. varargs
    c = protected .. protected .. ""
  end
  return a, b == varargs, c
end)

case("record_concatenation_of_objects", function()
  local object = setmetatable({}, { __concat = function() return "" end })
  local messages = {}
  for i = 1, 8 do
    messages[i] = tostring(select(2, pcall(function()
      for _ = 1, 3 do
        local _ = {} .. (object .. object)
      end
    end))):match("attempt.*")
  end
  return unpack(messages)
end)

case("recurse_in_root_traces", function()
  local lines = { "local new, int64_t, modf = ...", "local n = 0", "local function pass(x) return x end",
    "local function extra() modf(1) return pass({}) end", "local function recurse()", "if n > 4 then return end",
    "n = n + 1", "pass(1)", "pass(1)", "recurse()", "modf(1)", "pass('')" }
  for i = 1, 13 do -- enough values that the trace keeps some of them in memory
    lines[#lines + 1] = ("local x%d = new(int64_t, n + %d)"):format(i, i)
  end
  lines[#lines + 1] = "return pass(extra()) end recurse() return n"
  return assert(loadstring(table.concat(lines, "\n")))(ffi.new, ffi.typeof("int64_t"), math.modf)
end, "recunroll=1")

-- Returns a function that returns an iterator over all elements of several lists.
local function make_chain()
  local caller = { __call = function(self, lists, state) return self.step(lists, state) end }
  local function wrap(f, list, state)
    return setmetatable({ step = f, list = list, state = state }, caller), list, state
  end
  local function open(list)
    if #list > 0 then
      return ipairs(list)
    end
  end
  local function iterate(list, other, state)
    return wrap(open(list, other, state))
  end
  local step
  local function continue(lists, state, x, ...)
    if x == nil then
      local i = state[1]
      i = i + 1
      if lists[3 * i - 2] == nil then
        return nil
      end
      local first = lists[3 * i]
      return step(lists, { i, first })
    end
    return { state[1], x }, ...
  end
  step = function(lists, state)
    local i, x = state[1], state[2]
    local f, list = lists[3 * i - 2], lists[3 * i - 1]
    return continue(lists, state, f(list, x))
  end
  local function chain(...)
    local n = select("#", ...)
    local lists = { [3 * n] = 0 }
    local f, list, state
    for i = 1, n do
      f, list, state = iterate((select(i, ...)))
      lists[3 * i - 2], lists[3 * i - 1], lists[3 * i] = f, list, state
    end
    return wrap(step, lists, { 1, lists[3] })
  end
  return chain
end

case("keep_names_of_sunk_values", function()
  local chain = make_chain()
  local count = 0
  for _ = 1, 20 do
    local f, lists, state = chain({ "a", "b", "c" }, { "q", "w", "e" })
    while true do
      local x
      state, x = f(lists, state)
      if state == nil then
        break
      end
      count = count + (x and 1 or 100)
    end
  end
  return count
end, "hotloop=4 hotexit=8")

-- ---- limits

case("limit_size_of_traces", function()
  local format = ("%"):rep(50000)
  local result
  for _ = 1, 6 do
    result = format:format()
  end
  return #result
end)

case("predict_loops_from_parsed_code", function()
  return loadstring("local _ for _ in (nil):foo() do end") ~= nil
end)

case("keep_arguments_of_calls", function()
  ffi.cdef "double sin(double, ...); double cos(double, ...);"
  local functions = ffi.new("double (*[2])(double, ...)")
  functions[0], functions[1] = ffi.C.cos, ffi.C.sin
  local results, f = {}, functions[0]
  for i = 1, 10 do
    results[i] = f(0)
    f = functions[i % 2]
    f(0)
  end
  return unpack(results)
end)

return cases
