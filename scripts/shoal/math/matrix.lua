-- shoal.mat4: sixteen floats in column-major order. The inverse, products of matrices, projections and conversions from
-- and to quaternions are C functions based on the library cglm (base/matrix.h). Matrices are immutable, like
-- vectors: operations that return a matrix create a new one. The product with a vec4 is plain Lua and allocates nothing
-- in compiled loops.
local need = ...
local abi = need("base/abi")
local json = need("base/json")
local report = need("base/report")
local vector = need("math/vector")
local ffi, C = abi.ffi, abi.C

---@class engine.matrix
---@field api table shoal.mat4
local M = {}

local MEMBER, Matrix = vector.MATRIX_MEMBER, vector.Matrix
local vec3, vec4, quat = vector.types.vec3, vector.types.vec4, vector.types.quat
local is, describe_value, describe_got = ffi.istype, vector.describe_value, vector.describe_got
local scratch = ffi.new("float[16]")

-- Returns true for a shoal.mat4.
---@param v any
---@return boolean
function M.is(v)
  return type(v) == "cdata" and is(Matrix, v)
end

-- Returns the sixteen numbers as a list.
---@param m any a matrix
---@return number[]
function M.list(m)
  local out = {}
  for i = 1, 16 do
    out[i] = m[MEMBER][i - 1]
  end
  return out
end

json.lists[#json.lists + 1] = function(v)
  return M.is(v) and M.list(v) or nil, true
end

local methods = {}

local function check_receiver(m, name)
  if not is(Matrix, m) then
    report.raise("mat4:%s: expected a mat4, got %s: call it with a colon, m:%s(…)", name, describe_got(m), name)
  end
end

local function check_argument(name, kind, v)
  if not is(vector.types[kind], v) then
    report.raise("mat4:%s: expected a %s, got %s", name, kind, describe_got(v))
  end
end

function methods.inverse(m)
  check_receiver(m, "inverse")
  local out = Matrix()
  C.matrix_invert(m[MEMBER], out[MEMBER])
  return out
end

function methods.determinant(m)
  check_receiver(m, "determinant")
  return (C.matrix_determinant(m[MEMBER]))
end

function methods.transpose(m)
  check_receiver(m, "transpose")
  local out = Matrix()
  for i = 0, 15 do
    out[MEMBER][i] = m[MEMBER][i % 4 * 4 + (i - i % 4) / 4]
  end
  return out
end

local function check_index(name, v)
  if type(v) ~= "number" or v % 1 ~= 0 or v < 1 or v > 4 then
    report.raise("mat4:get: %s must be an integer from 1 to 4, got %s", name, report.describe(v))
  end
end

-- Returns an element; row and column are counted from 1.
function methods.get(m, row, column)
  check_receiver(m, "get")
  check_index("row", row)
  check_index("column", column)
  return m[MEMBER][(column - 1) * 4 + row - 1]
end

-- Transforms a position (w = 1). Does not divide by w.
function methods.point(m, v)
  check_receiver(m, "point")
  check_argument("point", "vec3", v)
  local a, x, y, z = m[MEMBER], v.x, v.y, v.z
  return (vec3(a[0] * x + a[4] * y + a[8] * z + a[12], a[1] * x + a[5] * y + a[9] * z + a[13],
    a[2] * x + a[6] * y + a[10] * z + a[14]))
end

-- Transforms a direction (w = 0): ignores the translation.
function methods.direction(m, v)
  check_receiver(m, "direction")
  check_argument("direction", "vec3", v)
  local a, x, y, z = m[MEMBER], v.x, v.y, v.z
  return (vec3(a[0] * x + a[4] * y + a[8] * z, a[1] * x + a[5] * y + a[9] * z, a[2] * x + a[6] * y + a[10] * z))
end

-- Converts a pure rotation matrix to a quaternion.
function methods.quat(m)
  check_receiver(m, "quat")
  C.matrix_to_quat(m[MEMBER], scratch)
  return quat(scratch[0], scratch[1], scratch[2], scratch[3])
end

function methods.unpack(m)
  check_receiver(m, "unpack")
  return unpack(M.list(m))
end

local function multiply(a, b)
  if is(Matrix, a) and is(vec4, b) then
    local m, x, y, z, w = a[MEMBER], b.x, b.y, b.z, b.w
    return vec4(m[0] * x + m[4] * y + m[8] * z + m[12] * w, m[1] * x + m[5] * y + m[9] * z + m[13] * w,
      m[2] * x + m[6] * y + m[10] * z + m[14] * w, m[3] * x + m[7] * y + m[11] * z + m[15] * w)
  elseif is(Matrix, a) and is(Matrix, b) then
    local out = Matrix()
    C.matrix_multiply(a[MEMBER], b[MEMBER], out[MEMBER])
    return out
  end
  report.raise("cannot multiply %s and %s%s", describe_value(a), describe_value(b), is(vec3, b)
    and ": use m:point(v) for a position, m:direction(v) for a direction" or "")
end

local function reject_operator(a, b)
  report.raise("cannot combine %s and %s: a mat4 supports * and ==", describe_value(a), describe_value(b))
end

local metatable = {
  __index = function(m, k)
    if type(k) == "number" and k >= 1 and k <= 16 and k % 1 == 0 then
      return m[MEMBER][k - 1]
    end
    local method = methods[k]
    if not method then
      if type(k) == "number" then
        report.raise("index %s of a mat4 is out of range: expected 1 to 16 (elements are in column-major order)",
          report.show(k))
      end
      report.raise("a mat4 has no %s%s; available: %s", report.show(k), report.suggest(k, methods),
        report.join_names(methods))
    end
    return method
  end,
  __newindex = function(_, name)
    report.raise("%s of a mat4 cannot be assigned: matrices are immutable, use m = shoal.mat4(…)",
      report.show(name))
  end,
  __mul = multiply,
  __eq = function(a, b)
    if not (is(Matrix, a) and is(Matrix, b)) then
      return false
    end
    for i = 0, 15 do
      if a[MEMBER][i] ~= b[MEMBER][i] then
        return false
      end
    end
    return true
  end,
  __len = function()
    return 16
  end,
  __tostring = function(m)
    local list, shortest = M.list(m), json.round_to_shortest_f32
    for i, number in ipairs(list) do
      list[i] = report.show(number - number == 0 and shortest(number) or number)
    end
    return "mat4(" .. table.concat(list, ", ") .. ")"
  end,
  __metatable = false,
}
for _, name in ipairs { "add", "sub", "div", "mod", "pow", "unm", "lt", "le", "call", "concat" } do
  metatable["__" .. name] = reject_operator
end
ffi.metatype(Matrix, metatable)

-- --- constructors

local function identity()
  local out = Matrix()
  for i = 0, 15, 5 do
    out[MEMBER][i] = 1
  end
  return out
end

local function from_list(list, count)
  local out = Matrix()
  for i = 1, 16 do
    if type(list[i]) ~= "number" then
      report.raise("shoal.mat4: expected 16 numbers in column-major order, but number %d is %s", i,
        describe_value(list[i]))
    end
    out[MEMBER][i - 1] = list[i]
  end
  if count > 16 then
    report.raise("shoal.mat4: expected 16 numbers in column-major order, got %d", count)
  end
  return out
end

local function from_quaternion(q)
  local out = Matrix()
  C.matrix_from_quat(q.x, q.y, q.z, q.w, out[MEMBER])
  return out
end

local function create_matrix(_, first_argument, ...)
  if first_argument == nil then
    return identity()
  elseif is(Matrix, first_argument) then
    return first_argument
  elseif is(quat, first_argument) then
    return from_quaternion(first_argument)
  elseif type(first_argument) == "table" then
    return from_list(first_argument, #first_argument)
  end
  return from_list({ first_argument, ... }, select("#", ...) + 1)
end

local constructors = {}

-- Returns a vec3 for arguments that are either a vec3 or three numbers.
local function to_vec3(name, ...)
  local first_argument = ...
  if is(vec3, first_argument) then
    return first_argument
  end
  for i = 1, 3 do
    if type((select(i, ...))) ~= "number" then
      report.raise("shoal.mat4.%s: expected a vec3 or three numbers, got %s", name, describe_got((select(i, ...))))
    end
  end
  return vec3(...)
end

function constructors.translation(...)
  local v, out = to_vec3("translation", ...), identity()
  out[MEMBER][12], out[MEMBER][13], out[MEMBER][14] = v.x, v.y, v.z
  return out
end

function constructors.scaling(...)
  local v, out = to_vec3("scaling", ...), identity()
  out[MEMBER][0], out[MEMBER][5], out[MEMBER][10] = v.x, v.y, v.z
  return out
end

-- Creates a rotation matrix from a quaternion, or from an axis and an angle in radians.
function constructors.rotation(axis, angle)
  if angle == nil and is(quat, axis) then
    return from_quaternion(axis)
  end
  return from_quaternion(vector.api.quat.axis_angle(axis, angle))
end

local function check_numbers(name, count, names, ...)
  for i = 1, count do
    local v = select(i, ...)
    if type(v) ~= "number" then
      report.raise("shoal.mat4.%s: expected %s, but argument %d is %s", name, names, i, describe_value(v))
    end
    scratch[i - 1] = v
  end
  return scratch, Matrix()
end

function constructors.perspective(...)
  local lens, out = check_numbers("perspective", 4, "a field of view in radians, an aspect ratio, near and far", ...)
  C.matrix_perspective(lens, out[MEMBER])
  return out
end

function constructors.ortho(...)
  local box, out = check_numbers("ortho", 6, "left, right, bottom, top, near and far", ...)
  C.matrix_ortho(box, out[MEMBER])
  return out
end

function constructors.look_at(eye, target, up)
  local out = Matrix()
  for k, v in ipairs { eye or false, target or false, up or vec3(0, 1, 0) } do
    if not is(vec3, v) then
      report.raise("shoal.mat4.look_at: expected eye, target and up as vec3, got %s", describe_got(v or nil))
    end
    scratch[3 * k - 3], scratch[3 * k - 2], scratch[3 * k - 1] = v.x, v.y, v.z
  end
  C.matrix_look_at(scratch, out[MEMBER])
  return out
end

M.api = vector.create_constructor("mat4", function()
  for _, kind in ipairs { "vec3", "vec4", "quat" } do -- methods of matrices return these types
    vector.generate(kind)
  end
  return create_matrix
end, constructors)

return M
