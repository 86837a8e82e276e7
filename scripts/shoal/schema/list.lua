-- Accessors of lists, e.bag.items and q.bag.items[i]: [k] reads and writes value k, `#` returns the number of values,
-- and the methods `add` and `remove` change it. Values past the end are stored as zero (schema/schema.h).
--
-- The accessors of entities, instances and singletons find a row; the accessors of queries and events use columns. Both
-- call the functions of an engine.ListRows.
local need, native = ...
local abi = need("base/abi")
local json = need("base/json")
local report = need("base/report")
local state = need("base/vm_state")
local weak_table = need("base/weak_table")
local operator_errors = need("messages/operator_errors")
local value = need("schema/value")
local ffi = abi.ffi

---@class engine.ListRows functions for the rows of one list. `row` must be valid, and `k` from 1 to the capacity.
---@field target engine.Target
---@field list engine.List
---@field label string for messages: "bag.items"
---@field count fun(row: integer): integer
---@field read fun(row: integer, k: integer): any
---@field write fun(row: integer, k: integer, v: any) `v` has been checked (value.check_element)
---@field clear fun(row: integer, k: integer) sets value k to zero
---@field set_count fun(row: integer, n: integer)
---@field copy? fun(row: integer): any[] returns the row's values as a new table; nil: `read` is called for each value

---@class engine.list
local M = {}

local SECRET = native.secret()

-- --- errors

local function fail_index(label, k, count)
  if type(k) ~= "number" then
    report.raise("%s is a list and has no field %s: index it with a number, or use :add, :remove and #", label,
      report.show(k))
  end
  report.raise("index %s of %s is out of range: %s", report.show(k), label, count == 0 and "the list is empty"
    or "expected 1 to " .. count)
end

local function fail_read_only(label)
  report.raise("%s cannot be written in %s", label, state.where)
end

local function fail_operator()
  report.raise("a list is not a single value: index it with a number, e.bag.items[1]")
end

-- --- operations on a row

local function format_value(v)
  return type(v) == "number" and ("%.6g"):format(v) or type(v) == "string" and ("%q"):format(v) or tostring(v)
end

-- Returns all values of a row as a table.
---@param rows engine.ListRows
---@param row integer
---@return any[]
function M.copy(rows, row)
  if rows.copy then
    local values = rows.copy(row)
    return values
  end
  local out = {}
  for k = 1, rows.count(row) do
    out[k] = rows.read(row, k)
  end
  return out
end

-- Returns the values of a row as text: { 1, 2 }.
---@param rows engine.ListRows
---@param row integer
---@return string
function M.format(rows, row)
  local parts = {}
  for i, v in ipairs(M.copy(rows, row)) do
    parts[i] = format_value(v)
  end
  return #parts > 0 and "{ " .. table.concat(parts, ", ") .. " }" or "{}"
end

-- Replaces the values of a row. `values` have been checked (value.check_list).
---@param rows engine.ListRows
---@param row integer
---@param values any[]
function M.assign(rows, row, values)
  for k = 1, #values do
    rows.write(row, k, values[k])
  end
  for k = #values + 1, rows.count(row) do
    rows.clear(row, k)
  end
  rows.set_count(row, #values)
end

-- Returns true for an integer from 1 to `count`.
local function is_index(k, count)
  return type(k) == "number" and k >= 1 and k <= count and k % 1 == 0
end

-- --- accessors

local readers = {} -- functions that return an accessor's values and whether they are f32, by LuaJIT type number

local function get_type_number(type_or_accessor)
  return tonumber(ffi.typeof(type_or_accessor))
end

-- Returns a list accessor's values as a table, and true if they are of type f32; nil for any other value.
---@param accessor any
---@return any[]?
---@return boolean?
function M.get_values(accessor)
  local read = type(accessor) == "cdata" and readers[get_type_number(accessor)]
  if read then
    local values, is_f32 = read(accessor)
    return values, is_f32
  end
end
value.get_list_values = M.get_values
json.lists[#json.lists + 1] = M.get_values

local methods = {} -- functions that change the list of a row: name → function(rows, row, argument)

function methods.add(rows, row, v)
  local count, list = rows.count(row), rows.list
  if state.read_only then
    fail_read_only(rows.label)
  elseif count == list.capacity then
    report.raise("too many values in %s: %d (at most %d): remove one first, or declare a larger capacity", rows.label,
      count + 1, count)
  end
  v = value.check_element(rows.target, list, count + 1, v)
  rows.write(row, count + 1, v)
  rows.set_count(row, count + 1)
end

function methods.remove(rows, row, k)
  local count = rows.count(row)
  if state.read_only then
    fail_read_only(rows.label)
  elseif not is_index(k, count) then
    fail_index(rows.label, k, count)
  end
  local removed = rows.read(row, k)
  for i = k, count - 1 do
    rows.write(row, i, rows.read(row, i + 1))
  end
  rows.clear(row, count)
  rows.set_count(row, count - 1)
  return removed
end

function methods.set(rows, row, k, v)
  local count = rows.count(row)
  if state.read_only then
    fail_read_only(rows.label)
  elseif k == count + 1 then
    report.raise("%s has %d value%s: append one with %s:add(v)", rows.label, count, count == 1 and "" or "s",
      rows.list.name)
  elseif not is_index(k, count) then
    fail_index(rows.label, k, count)
  elseif type(v) == "nil" then
    report.raise("%s[%d] cannot be nil: remove the value with %s:remove(%d)", rows.label, k, rows.list.name, k)
  end
  v = value.check_element(rows.target, rows.list, k, v)
  rows.write(row, k, v)
end

-- Creates the methods e.bag.items:add(v) and e.bag.items:remove(i).
local function create_methods(struct, locate)
  local function check_self(self, name)
    if not ffi.istype(struct, self) then
      report.raise("%s is a method of lists: call it with a colon, e.bag.items:%s(…)", name, name)
    end
  end
  local function add(self, v)
    check_self(self, "add")
    local rows, row = locate(self)
    methods.add(rows, row, v)
  end
  local function remove(self, k)
    check_self(self, "remove")
    local rows, row = locate(self)
    local removed = methods.remove(rows, row, k)
    return removed
  end
  return add, remove
end

-- Adds the metatable of accessors to a struct. `locate(self)` returns the functions for its row, and the row.
-- `get_title` describes an accessor in tostring.
---@param struct any a C type
---@param locate fun(self: any): engine.ListRows, integer
---@param get_title fun(self: any): string
function M.add_metatable(struct, locate, get_title)
  local add, remove = create_methods(struct, locate)
  local metatable = operator_errors({
    __index = function(self, k)
      local rows, row = locate(self)
      if type(k) == "number" then
        local count = rows.count(row)
        if k >= 1 and k <= count and k % 1 == 0 then
          local v = rows.read(row, k)
          return v
        elseif k > count and k % 1 == 0 then
          return nil
        end
        fail_index(rows.label, k, count)
      end
      return k == "add" and add or k == "remove" and remove or fail_index(rows.label, k, 0)
    end,
    __newindex = function(self, k, v)
      local rows, row = locate(self)
      methods.set(rows, row, k, v)
    end,
    __tostring = function(self)
      local rows, row = locate(self)
      return ("%s of %s: %s"):format(rows.label, get_title(self), M.format(rows, row))
    end,
    __metatable = false,
  }, fail_operator)
  function metatable.__len(self)
    local rows, row = locate(self)
    local count = rows.count(row)
    return count
  end
  ffi.metatype(struct, metatable)
  readers[get_type_number(struct)] = function(v)
    local rows, row = locate(v)
    return M.copy(rows, row), rows.list.type == "f32"
  end
end

-- Returns functions for the last values of an entity whose row was removed. They read `values` instead of a row.
-- `refuse` raises the error for writes.
---@param rows engine.ListRows
---@param values any[]
---@param refuse fun()
---@return engine.ListRows
function M.create_last_value_rows(rows, values, refuse)
  return { target = rows.target, list = rows.list, label = rows.label, count = function() return #values end,
    read = function(_, k) return values[k] end, write = refuse, clear = refuse, set_count = refuse }
end

-- --- lists of queries and events

local by_token = weak_table("v") ---@type table<integer, engine.ListRows> token of an accessor → rows of its list
local last_token = 0
local TOKEN = SECRET .. "t"
local Row = ffi.typeof("struct { int32_t " .. SECRET .. "; int32_t " .. TOKEN .. "; }")

M.add_metatable(Row, function(self)
  local rows = by_token[self[TOKEN]]
  if not rows then
    report.raise("this list belongs to a query that no longer exists: read it from the query again")
  end
  return rows, self[SECRET]
end, function(self)
  return "row " .. self[SECRET]
end)

local ZERO = { string = "", asset = "", bool = false }

-- Returns functions for the rows of a list whose columns are proxies (schema/column.lua).
local function create_column_rows(label, list, count, values)
  local empty = ZERO[list.type]
  if empty == nil and list.type ~= "entity" then
    empty = list.shown[1].choices and list.shown[1].choices[1] or 0
  end
  return { target = { label = label:sub(1, -#list.name - 2) }, list = list, label = label,
    count = function(i)
      local n = count[i]
      return n
    end,
    read = function(i, k)
      local v = values[k][i]
      return v
    end,
    write = function(i, k, v) values[k][i] = v end,
    clear = function(i, k) values[k][i] = empty end,
    set_count = function(i, n) count[i] = n end,
  }
end

-- Creates the list q.bag.items, whose element [i] is the list of row i. `count` and `values`: proxies of its columns.
---@param label string for messages: "bag.items"
---@param list engine.List
---@param count engine.Column
---@param values engine.Column[]
---@return table
function M.create_column(label, list, count, values)
  local rows, token = create_column_rows(label, list, count, values), last_token + 1
  by_token[token], last_token = rows, token
  return setmetatable({}, {
    __index = function(_, i)
      if type(i) ~= "number" then
        report.raise("%s[%s]: the row index comes first: use %s[i][1], #%s[i] or %s[i]:add(v)", label, report.show(i),
          label, label, label)
      end
      rows.count(i) -- raises an error if the row is missing
      local row = Row(i, token)
      return row
    end,
    __newindex = function(_, i, v)
      rows.count(i)
      M.assign(rows, i, value.check_list(rows.target, list, v))
    end,
    __metatable = false,
  })
end

return M
