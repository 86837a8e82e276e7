-- shoal.vec2, vec3, vec4 and quat: structs with the memory layout of the C library cglm. Operations are plain Lua, so
-- that compiled loops keep vectors in registers and allocate nothing. Components are 32-bit floats; an operation
-- calculates in doubles in a fixed order and rounds each component of a resulting vector once, so results are identical
-- on every processor. Vectors are immutable, so a local of a file may hold one without being hidden state. Matrices are
-- in matrix.lua. The code of each type is generated on first use: most games have no vectors, and generating it takes a
-- tenth of the startup time.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local report = need("base/report")
local weak_table = need("base/weak_table")
local ffi = abi.ffi

---@class engine.Vector: ffi.cdata* a shoal.Vector or shoal.Quat

---@class engine.vector
---@field types table<string, any> C types by kind; call M.generate before creating a value
---@field methods table<string, table<string, function>> methods by kind
---@field api table<string, table> shoal.vec2 etc. by kind
local M = { types = {}, methods = {}, api = {} }

local SIZE = { vec2 = 2, vec3 = 3, vec4 = 4, quat = 4 }
local AXES, COLOURS = { "x", "y", "z", "w" }, { "r", "g", "b", "a" }
local SECRET = native.secret() -- prefix of the struct members: random, so that scripts cannot name them

for kind, size in pairs(SIZE) do
  local members = {}
  for i = 1, size do
    members[i] = SECRET .. AXES[i]
  end
  M.types[kind] = ffi.typeof("struct { float " .. table.concat(members, ", ") .. "; }")
end

local MATRIX = native.secret()

---@type any C type of shoal.mat4 with the member MATRIX_MEMBER; its methods are in math/matrix.lua
M.Matrix, M.MATRIX_MEMBER = ffi.typeof("struct { float " .. MATRIX .. "[16]; }"), MATRIX

-- Returns the kind of a vector ("vec3", …), or nil for any other value.
---@param v any
---@return string?
function M.get_kind(v)
  if type(v) == "cdata" then
    for kind, struct in pairs(M.types) do
      if ffi.istype(struct, v) then
        return kind
      end
    end
  end
  return nil
end

-- Number of components by C type, for accessors of vectors stored in the world.
local stored_structs = {}
local stored_tables = weak_table("k") -- accessor table of a stored vector → number of its components

-- Makes M.get_stored_size return `size` for values of a C type, or for one table.
---@param key any
---@param size integer
function M.add_stored(key, size)
  (type(key) == "table" and stored_tables or stored_structs)[key] = size
end

-- Returns the number of components of a vector stored in the world (such as e.sprite.tint), or nil for any other value.
---@param v any
---@return integer?
function M.get_stored_size(v)
  if type(v) == "cdata" then
    for struct, size in pairs(stored_structs) do
      if ffi.istype(struct, v) then
        return size
      end
    end
    return nil
  end
  return stored_tables[v]
end

-- Returns the type name of a value for messages: "vec3", "number".
---@param v any
---@return string
function M.type_name(v)
  local size = M.get_stored_size(v)
  local kind = M.get_kind(v) or ffi.istype(M.Matrix, v) and "mat4" or size and "vec" .. size or type(v)
  return kind == "cdata" and "column or component" or kind
end

-- Returns the type name with an article: "a vec3", "a number", "nil". For a vector stored in the world, adds how to
-- convert it to a value.
---@param v any
---@return string
function M.describe_value(v)
  local type_name = M.type_name(v)
  if not M.get_kind(v) and M.get_stored_size(v) then
    return ("a component's %s (shoal.%s(…) copies it to a value)"):format(type_name, type_name)
  end
  return type_name == "nil" and type_name or "a " .. type_name
end
local describe_value = M.describe_value

-- Describes an unexpected value, for messages that end with "got …": "a vec3", 3, text "abc".
---@param v any
---@return string
function M.describe_got(v)
  return (M.get_stored_size(v) or M.get_kind(v) or ffi.istype(M.Matrix, v)) and describe_value(v) or report.describe(v)
end
local describe_got = M.describe_got

-- Returns the numbers of a vector as a list.
---@param v any
---@return number[]? list nil if `v` is not a vector
function M.list(v)
  local kind = M.get_kind(v)
  if not kind then
    return nil
  end
  local out = {}
  for i = 1, SIZE[kind] do
    out[i] = v[i]
  end
  return out
end

json.lists[#json.lists + 1] = function(v)
  return M.list(v), true
end

-- --- errors

local ACTIONS = {
  ["+"] = "cannot add %s and %s%s", ["-"] = "cannot compute %s minus %s%s",
  ["*"] = "cannot multiply %s and %s%s", ["/"] = "cannot divide %s by %s%s",
}
local support = { sqrt = math.sqrt, acos = math.acos, atan2 = math.atan2, methods = M.methods,
  swizzles = { vec2 = {}, vec3 = {}, vec4 = {}, quat = {} } }

function support.fail_operator(a, b, sign, kind)
  local hint = ""
  if (sign == "+" or sign == "-") and (type(a) == "number" or type(b) == "number") then
    hint = (": use shoal.%s(%s) for the number in every component"):format(kind == "quat" and "vec4" or kind, "n")
  elseif sign == "*" and ffi.istype(M.Matrix, b) and kind == "vec4" then
    hint = ": put the matrix first, m * v"
  elseif sign == "*" and ffi.istype(M.Matrix, b) and kind == "vec3" then
    hint = ": use m:point(v) for a position, m:direction(v) for a direction"
  end
  report.raise(ACTIONS[sign], describe_value(a), describe_value(b), hint)
end

function support.fail_ordering(a, b)
  report.raise("cannot order %s and %s: compare v:length() or a component, v.x", describe_value(a), describe_value(b))
end

-- Compares values of different kinds, which are never equal. Raises an error for a vector stored in the world, because
-- it would never be equal to a value.
function support.compare_kinds(a, b)
  local size = M.get_stored_size
  if size(a) or size(b) then
    report.raise("cannot compare %s with %s", describe_value(a), describe_value(b))
  end
  return false
end

local CONCATENABLE = { string = true, number = true, cdata = true, userdata = true }

function support.concatenate(a, b)
  if not (CONCATENABLE[type(a)] and CONCATENABLE[type(b)]) then
    report.raise("cannot concatenate %s and %s", describe_value(a), describe_value(b))
  end
  return report.show(a) .. report.show(b)
end

function support.fail_assignment(v, name)
  local kind = describe_value(v):sub(3)
  report.raise("%s of a %s cannot be assigned: vectors are immutable, use v = shoal.%s(…)", report.show(name), kind,
    kind)
end

function support.fail_receiver(kind, method, v)
  report.raise("%s:%s: expected a %s, got %s: call it with a colon, v:%s(…)", kind, method, kind, describe_got(v),
    method)
end

function support.fail_argument(kind, method, expected, v)
  report.raise("%s:%s: expected %s, got %s", kind, method, expected, describe_got(v))
end

-- Puts returned calls in parentheses to avoid tail calls: LuaJIT cannot compile a function that ends with a tail call
-- into C, unless it is inlined in a trace (schema/component.lua).
local function wrap_returned_calls(code)
  return (code:gsub("return ([%w_%.]+)(%b())", function(callee, arguments)
    return callee ~= "function" and ("return (%s%s)"):format(callee, arguments) or nil
  end))
end

-- Generates the function of a swizzle (v.xy, v.zyx) on first use.
local function generate_swizzle(kind, name)
  local parts = {}
  for i = 1, #name do
    parts[i] = ("v.%s"):format(name:sub(i, i))
  end
  local code = ("local new = ... return function(v) return new(%s) end"):format(table.concat(parts, ", "))
  M.generate("vec" .. #name)
  local swizzle = assert(loadstring(wrap_returned_calls(code), "@[shoal]/math/vector.lua"))(M.types["vec" .. #name])
  support.swizzles[kind][name] = swizzle
  return swizzle
end

-- Looks up a name that is neither a component nor a method: returns a swizzle such as v.xy, or raises an error.
function support.other_member(v, name, kind)
  local letters = table.concat(AXES, "", 1, SIZE[kind])
  local colours = table.concat(COLOURS, "", 1, SIZE[kind])
  if type(name) == "string" and #name >= 2 and #name <= 4
    and (name:find("^[" .. letters .. "]+$") or name:find("^[" .. colours .. "]+$")) then
    return generate_swizzle(kind, name)(v)
  elseif type(name) == "number" then
    report.raise("index %s of a %s is out of range: expected 1 to %d", report.show(name), kind, SIZE[kind])
  end
  local members = {}
  for method in pairs(M.methods[kind]) do
    members[#members + 1] = method
  end
  for i = 1, SIZE[kind] do
    members[#members + 1] = AXES[i]
  end
  report.raise("a %s has no %s%s; available: %s", kind, report.show(name), report.suggest(name, members),
    report.join_names(members))
end

function support.text(v, kind)
  local list, shortest = M.list(v), json.round_to_shortest_f32
  for i, number in ipairs(list) do
    list[i] = report.show(number - number == 0 and shortest(number) or number)
  end
  return kind .. "(" .. table.concat(list, ", ") .. ")"
end

-- --- constructors

-- Appends the numbers of an argument to `out`: a number, a vector, a list, a table with x, y, z and w, or a vector
-- stored in the world.
local function flatten(out, v, count)
  if type(v) == "number" then
    out[#out + 1] = v
  elseif M.get_kind(v) then
    for _, number in ipairs(M.list(v)) do
      out[#out + 1] = number
    end
  elseif type(v) == "table" or M.get_stored_size(v) then
    for i = 1, M.get_stored_size(v) or count do
      local part = v[i]
      if part == nil and type(v) == "table" then
        part = v[AXES[i]]
      end
      if part == nil then
        break
      end
      flatten(out, part, 0)
    end
  else
    report.raise("a component of a vector must be a number, got %s", describe_got(v))
  end
end

-- Implements the constructors for all arguments other than one number per component (slow path).
function support.build(kind, ...)
  local size, out, count = SIZE[kind], {}, select("#", ...)
  while count > 0 and select(count, ...) == nil do
    count = count - 1
  end
  if count == 0 then
    return kind == "quat" and M.types[kind](0, 0, 0, 1) or M.types[kind]()
  end
  for i = 1, count do
    flatten(out, (select(i, ...)), size)
  end
  if #out == 1 and kind ~= "quat" and type((...)) == "number" then
    for i = 2, size do
      out[i] = out[1]
    end
  end
  if #out ~= size then
    report.raise("shoal.%s: expected %d numbers, got %d", kind, size, #out)
  end
  return M.types[kind](unpack(out))
end

-- --- code template of each kind: $SUM(a.$ * b.$) adds over the components, $EACH(a.$ + b.$) lists them

local TEMPLATE = [[
local support, new = ...
local is, type, select = support.is, type, select
local fail_operator, other_member = support.fail_operator, support.other_member
local fail_receiver, fail_argument = support.fail_receiver, support.fail_argument
local sqrt, methods, swizzles = support.sqrt, {}, support.swizzles.$KIND
support.methods.$KIND = methods

$METHODS
local function build(self, $PARTS, ...)
  if $ARENUMBERS and select("#", ...) == 0 then
    return new($PARTS)
  end
  return support.build("$KIND", $PARTS, ...)
end

return build, {
  __index = function(v, k)
    $INDEX
    local method = methods[k]
    if method then
      return method
    end
    local swizzle = swizzles[k]
    if swizzle then
      return swizzle(v)
    end
    return other_member(v, k, "$KIND")
  end,
  __newindex = support.fail_assignment,
  __add = function(a, b)
    if is(new, a) and is(new, b) then
      return new($EACH(a.$ + b.$))
    end
    return fail_operator(a, b, "+", "$KIND")
  end,
  __sub = function(a, b)
    if is(new, a) and is(new, b) then
      return new($EACH(a.$ - b.$))
    end
    return fail_operator(a, b, "-", "$KIND")
  end,
  __unm = function(a)
    return new($EACH(-a.$))
  end,
  __mul = function(a, b)
    if type(b) == "number" then
      return new($EACH(a.$ * b))
    elseif type(a) == "number" then
      return new($EACH(a * b.$))
    end
    $PRODUCT
    return fail_operator(a, b, "*", "$KIND")
  end,
  __div = function(a, b)
    if type(b) == "number" then
      return new($EACH(a.$ / b))
    end
    $QUOTIENT
    return fail_operator(a, b, "/", "$KIND")
  end,
  __eq = function(a, b)
    if is(new, a) and is(new, b) then
      return $ALL(a.$ == b.$)
    end
    return support.compare_kinds(a, b)
  end,
  __len = function()
    return $SIZE
  end,
  __concat = function(a, b)
    return support.concatenate(a, b)
  end,
  __lt = support.fail_ordering,
  __le = support.fail_ordering,
  __tostring = function(v)
    return support.text(v, "$KIND")
  end,
  __metatable = false,
}
]]

local PRODUCT = [[if is(new, a) and is(new, b) then
      return new($EACH(a.$ * b.$))
    end]]
local QUOTIENT = [[if is(new, a) and is(new, b) then
      return new($EACH(a.$ / b.$))
    elseif type(a) == "number" then
      return new($EACH(a / b.$))
    end]]

-- Methods of all kinds: { name, parameters, body }. `v` is the vector, `w` a second vector of the same kind, `t` a
-- number, and `p` a vec3.
local COMMON_METHODS = {
  { "dot", "w", "return $SUM(v.$ * w.$)" },
  { "length", "", "return sqrt($SUM(v.$ * v.$))" },
  { "length_squared", "", "return $SUM(v.$ * v.$)" },
  { "normalize", "", "local n = sqrt($SUM(v.$ * v.$)) if n == 0 then return new($EMPTY) end "
    .. "return new($EACH(v.$ / n))" },
  { "lerp", "w, t", "return new($EACH(v.$ + (w.$ - v.$) * t))" },
  { "unpack", "", "return $EACH(v.$)" },
}
local VECTOR_METHODS = {
  { "distance", "w", "local $LOCALS = $EACH(w.$ - v.$) return sqrt($DISTANCE)" },
  { "min", "w", "return new($EACH(w.$ < v.$ and w.$ or v.$))" },
  { "max", "w", "return new($EACH(w.$ > v.$ and w.$ or v.$))" },
  { "abs", "", "return new($EACH(support.abs(v.$)))" },
  { "floor", "", "return new($EACH(support.floor(v.$)))" },
  { "reflect", "w", "local d = 2 * ($SUM(v.$ * w.$)) return new($EACH(v.$ - d * w.$))" },
  { "angle", "w", "local n = sqrt(($SUM(v.$ * v.$)) * ($SUM(w.$ * w.$))) local c = ($SUM(v.$ * w.$)) / n "
    .. "return support.acos(c > 1 and 1 or c < -1 and -1 or c)" },
}
local KIND_METHODS = {
  vec2 = { { "cross", "w", "return v.X * w.Y - v.Y * w.X" } },
  vec3 = { { "cross", "w",
    "return new(v.Y * w.Z - v.Z * w.Y, v.Z * w.X - v.X * w.Z, v.X * w.Y - v.Y * w.X)" } },
  vec4 = {},
  quat = {
    { "conjugate", "", "return new(-v.X, -v.Y, -v.Z, v.W)" },
    { "inverse", "", "local n = $SUM(v.$ * v.$) return new(-v.X / n, -v.Y / n, -v.Z / n, v.W / n)" },
    { "rotate", "p", "return v * p" },
    { "slerp", "w, t", "return support.slerp(v, w, t)" },
    { "angle", "", "local n = sqrt(v.X * v.X + v.Y * v.Y + v.Z * v.Z) return 2 * support.atan2(n, v.W)" },
    { "axis", "", "local n = sqrt(v.X * v.X + v.Y * v.Y + v.Z * v.Z) "
      .. "if n == 0 then return support.vec3(1, 0, 0) end return support.vec3(v.X / n, v.Y / n, v.Z / n)" },
  },
}

-- Code for the product of a quaternion with a quaternion or a vector: q * r rotates by r first, then by q. Vectors are
-- rotated as in cglm, by the normalized quaternion.
local QUATERNION_PRODUCT = [[if is(new, a) and is(new, b) then
      return new(a.W * b.X + a.X * b.W + a.Y * b.Z - a.Z * b.Y,
        a.W * b.Y - a.X * b.Z + a.Y * b.W + a.Z * b.X,
        a.W * b.Z + a.X * b.Y - a.Y * b.X + a.Z * b.W,
        a.W * b.W - a.X * b.X - a.Y * b.Y - a.Z * b.Z)
    elseif is(new, a) and is(support.vec3, b) then
      local n = sqrt($SUM(a.$ * a.$))
      if n == 0 then
        return b
      end
      local x, y, z, w = $EACH(a.$ / n)
      local d, s = 2 * (x * b.X + y * b.Y + z * b.Z), w * w - (x * x + y * y + z * z)
      w = 2 * w
      return support.vec3(d * x + s * b.X + w * (y * b.Z - z * b.Y), d * y + s * b.Y + w * (z * b.X - x * b.Z),
        d * z + s * b.Z + w * (x * b.Y - y * b.X))
    end]]

local function generate_method(method)
  local name, arguments, body = unpack(method)
  local out = { ("function methods.%s(v%s)\n"):format(name, arguments == "" and "" or ", " .. arguments) }
  out[2] = ("if not is(new, v) then fail_receiver('$KIND', '%s', v) end\n"):format(name)
  if arguments:find("w") then
    out[#out + 1] = ("if not is(new, w) then fail_argument('$KIND', '%s', 'a $KIND', w) end\n"):format(name)
  end
  if arguments:find("t") then
    out[#out + 1] = ("if type(t) ~= 'number' then fail_argument('$KIND', '%s', 'a number', t) end\n"):format(name)
  end
  if arguments == "p" then
    out[#out + 1] = ("if not is(support.vec3, p) then fail_argument('$KIND', '%s', 'a vec3', p) end\n"):format(name)
  end
  out[#out + 1] = body .. "\nend\n"
  return table.concat(out)
end

-- Repeats code such as "a.$ + b.$" for each of the `size` components, with `$` replaced with the name of the component,
-- and joins the copies with `separator`.
local function repeat_for_axes(size, code, separator)
  local out = {}
  for i = 1, size do
    out[i] = code:gsub("%.%$", "." .. SECRET .. AXES[i])
  end
  return table.concat(out, separator)
end

local function generate_code(kind)
  local size, index, numbers, methods = SIZE[kind], {}, {}, {}
  for i = 1, size do
    index[i] = ("if k == %q or k == %d or k == %q then return v.%s end"):format(AXES[i], i, COLOURS[i],
      SECRET .. AXES[i])
    numbers[i] = ("type(%s) == 'number'"):format(AXES[i])
  end
  for _, list in ipairs { COMMON_METHODS, kind ~= "quat" and VECTOR_METHODS or {}, KIND_METHODS[kind] } do
    for _, method in ipairs(list) do
      methods[#methods + 1] = generate_method(method)
    end
  end
  local names = table.concat(AXES, ", ", 1, size)
  local code = TEMPLATE:gsub("%$PRODUCT", { ["$PRODUCT"] = kind == "quat" and QUATERNION_PRODUCT or PRODUCT })
    :gsub("%$QUOTIENT", { ["$QUOTIENT"] = kind == "quat" and "" or QUOTIENT })
    :gsub("%$METHODS", { ["$METHODS"] = table.concat(methods) })
    :gsub("%$EMPTY", kind == "quat" and "0, 0, 0, 1" or ("0, "):rep(size - 1) .. "0")
    :gsub("%$DISTANCE", (names:gsub("(%a)", "%1 * %1"):gsub(", ", " + ")))
    :gsub("%$LOCALS", names):gsub("%$PARTS", names):gsub("%$SIZE", tostring(size)):gsub("%$KIND", kind)
    :gsub("%$ARENUMBERS", table.concat(numbers, " and ")):gsub("%$INDEX", table.concat(index, "\n    "))
  -- Strips the parentheses with a pattern, because LuaJIT's compiled code for inner:sub(2, -2) has returned one
  -- character too many.
  code = code:gsub("%$(%u+)(%b())", function(operation, inner)
    return repeat_for_axes(size, inner:match("^.(.*).$"), operation == "SUM" and " + " or operation == "ALL"
      and " and " or ", ")
  end)
  return (code:gsub("([abvw])%.([XYZW])%f[%W]", function(variable, axis)
    return variable .. "." .. SECRET .. axis:lower()
  end))
end

support.is, support.plain, support.abs, support.floor = ffi.istype, report.show, math.abs, math.floor
support.vec3 = M.types.vec3

-- Interpolates along the shorter arc, and linearly if the quaternions are nearly equal.
function support.slerp(a, b, t)
  local c, sign = a:dot(b), 1
  if c < 0 then
    c, sign = -c, -1
  end
  if c > 0.9995 then
    return a:lerp(b * sign, t):normalize()
  end
  local angle = math.acos(c)
  local s = math.sin(angle)
  return a * (math.sin((1 - t) * angle) / s) + b * (sign * math.sin(t * angle) / s)
end

-- Creates the table that scripts call: the constructor, and functions as members. The first use of either calls
-- `prepare`, which returns the constructor.
---@param kind string
---@param prepare fun(): function
---@param functions table<string, function>
---@return table
function M.create_constructor(kind, prepare, functions)
  local metatable = { __metatable = false }
  local function index(_, name)
    return functions[name] or report.raise("shoal.%s has no %s%s; available: %s", kind, report.show(name),
      report.suggest(name, functions), report.join_names(functions))
  end
  local function initialize()
    metatable.__call, metatable.__index = prepare(), index
  end
  function metatable.__call(self, ...)
    initialize()
    return self(...)
  end
  function metatable.__index(_, name)
    initialize()
    return index(_, name)
  end
  function metatable.__newindex(_, name)
    report.raise("shoal.%s.%s cannot be assigned: shoal is read-only", kind, report.show(name))
  end
  return setmetatable({}, metatable)
end

local QUAT_FUNCTIONS = {}

-- Creates a rotation by `angle` radians about an axis, counterclockwise when the axis points at the viewer. Returns the
-- identity if the axis has length 0.
function QUAT_FUNCTIONS.axis_angle(axis, angle)
  if not ffi.istype(M.types.vec3, axis) or type(angle) ~= "number" then
    report.raise("shoal.quat.axis_angle: expected a vec3 and an angle in radians, got %s and %s", describe_got(axis),
      describe_got(angle))
  end
  local x, y, z = axis:unpack()
  local n = math.sqrt(x * x + y * y + z * z)
  if n == 0 then
    return M.types.quat(0, 0, 0, 1)
  end
  local s = math.sin(angle / 2) / n
  return M.types.quat(x * s, y * s, z * s, math.cos(angle / 2))
end

local builds = {} -- constructors by kind, for kinds whose code has been generated

-- Generates the code of a kind. Must be called before a value of the kind is created.
---@param kind string
---@return function build called by the kind's constructor
function M.generate(kind)
  if builds[kind] then
    return builds[kind]
  end
  local chunk = assert(loadstring(wrap_returned_calls(generate_code(kind)), "@[shoal]/math/vector.lua"))
  local build, metatable = chunk(support, M.types[kind])
  local reject_operator = function(a, b)
    report.raise("cannot combine %s and %s: a %s supports + - * / and ==", describe_value(a), describe_value(b), kind)
  end
  metatable.__mod, metatable.__pow, metatable.__call = reject_operator, reject_operator, reject_operator
  ffi.metatype(M.types[kind], metatable)
  builds[kind] = build
  if kind == "quat" then -- quaternions rotate vec3 values, and their axis is a vec3
    M.generate("vec3")
  end
  return build
end

for kind in pairs(SIZE) do
  M.api[kind] = M.create_constructor(kind, function()
    return M.generate(kind)
  end, kind == "quat" and QUAT_FUNCTIONS or {})
end

-- --- vectors in columns

local COLUMN = [[
local inner, new, is, slow, IS_ROW = ...
local type = type
return {
  __index = function(_, i)
    if IS_ROW[type(i)] then
      local x = inner.x[i]
      if x == nil then
        return nil
      end
      return new(x, $READ)
    end
    return inner[i]
  end,
  __newindex = function(_, i, value)
    if IS_ROW[type(i)] and is(new, value) then
      $WRITE
      return
    end
    return slow(i, value)
  end,
  __metatable = false,
}
]]
M.IS_ROW = { number = true, userdata = true } -- types that identify a row: a row number or an entity

-- Creates the column of a vector field: [i] is the vector of the columns inner.x[i], inner.y[i], …; other keys are
-- looked up in `inner`. slow(i, value) writes values that are not vectors of this kind. Each column has its own
-- functions, so that LuaJIT specializes them independently.
---@param kind string
---@param inner table
---@param slow fun(i: any, value: any)
---@return table
function M.create_column(kind, inner, slow)
  local read, write = {}, {}
  M.generate(kind)
  for i = 1, SIZE[kind] do
    local axis = AXES[i]
    read[i] = ("inner.%s[i]"):format(axis)
    write[i] = ("inner.%s[i] = value.%s"):format(axis, SECRET .. axis)
  end
  local code = COLUMN:gsub("%$READ", table.concat(read, ", ", 2)):gsub("%$WRITE", table.concat(write, "\n      "))
  local create_metatable = assert(loadstring(wrap_returned_calls(code), "@[shoal]/math/vector.lua"))
  return setmetatable({}, create_metatable(inner, M.types[kind], ffi.istype, slow, M.IS_ROW))
end

-- Returns component `i` of a vector (a value or one stored in the world) for a field with `count` components, or nil if
-- the sizes differ.
---@param v any
---@param count integer
---@param i integer
---@return number?
function M.get_part(v, count, i)
  local kind = M.get_kind(v)
  local size = kind and SIZE[kind] or M.get_stored_size(v)
  return size == count and v[i] or nil
end

return M
