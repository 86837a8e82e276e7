-- Finds the systems whose code may call a spatial query, such as world.near. The positions of all bodies are copied
-- when these systems start, because their queries return results for that moment (collision/body_grid.h). Other systems
-- start without a copy. The bytecode is searched for names, which it also contains in packages, so a system that calls
-- no query may be found as well. If a system calls a query under a computed name, its queries return results for the
-- moment of the first call.
local need = ...
local bytecode = need("compile/bytecode")
local util = require("jit.util")

local M = {}

local QUERIES = { near = true, near_count = true, nearest = true, nearest_many = true, box = true, ray = true,
  way = true }

-- Returns true if the function reads a member with the name of a query.
local function reads_query(fn)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    if bytecode.read_opcode(fn, pc) == "TGETS" then
      local _, _, _, c = bytecode.read_instruction(fn, pc)
      if QUERIES[util.funck(fn, -c - 1)] then
        return true
      end
    end
  end
  return false
end

-- Adds the strings that the function and its inner functions contain to `strings`. Returns true if one of these
-- functions may call a query.
local function scan(fn, strings)
  local may_call, has_name = false, false
  for i = 1, util.funcinfo(fn).gcconsts do
    local constant = util.funck(fn, -i)
    if type(constant) == "string" then
      strings[#strings + 1] = constant
      has_name = has_name or QUERIES[constant] ~= nil
    elseif type(constant) == "table" then
      for key, v in pairs(constant) do -- the order does not matter: `strings` is used as a set
        strings[#strings + 1] = type(key) == "string" and key or nil
        strings[#strings + 1] = type(v) == "string" and v or nil
      end
    elseif type(constant) == "proto" then
      may_call = scan(constant, strings) or may_call
    end
  end
  return may_call or has_name and reads_query(fn)
end

-- Returns the name of the module, behaviour or sequence that a file implements. Code that uses the file contains this
-- name.
local function get_search_word(file)
  return (file:match("([^/]+)%.lua$") or file):match("[%w_]+$")
end

-- Adds to `files` the files that contain the name of a file in `files`, directly or through other files.
local function add_callers(files, strings)
  local queue = {}
  for file in pairs(files) do -- the order does not matter: the result is a transitive closure
    queue[#queue + 1] = not file:find("systems/") and file or nil
  end
  for _, callee in ipairs(queue) do -- the loop body appends to the queue
    local word = get_search_word(callee)
    for file, text in pairs(word and strings or {}) do
      -- A plain search comes first, because Lua patterns are slow.
      if not files[file] and text:find(word, 1, true) and text:find("%f[%w_]" .. word .. "%f[^%w_]") then
        files[file] = true
        queue[#queue + 1] = not file:find("systems/") and file or nil
      end
    end
  end
end

-- Sets the field `searches` of the systems whose files may call a query. `chunks`: the main chunks of all Lua files of
-- the game and its add-ons, with their names.
---@param systems engine.System[]
---@param chunks { [1]: function, [2]: string }[]
function M.mark(systems, chunks)
  local files, strings = {}, {}
  for _, item in ipairs(chunks) do
    local constants = {}
    files[item[2]] = scan(item[1], constants) or nil
    strings[item[2]] = table.concat(constants, "\n")
  end
  add_callers(files, strings)
  for _, system in ipairs(systems) do
    system.searches = files[system.at.file] or false
  end
end

return M
