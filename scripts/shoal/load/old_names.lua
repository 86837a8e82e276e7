-- Warns of old names of components (schema/renames.lua) in the bodies of functions: their names and texts are among the
-- constants of the bytecode, with the line that uses them.
local need, native = ...
local bytecode = need("compile/bytecode")
local component = need("schema/component")
local renames = need("schema/renames")
local util = require("jit.util")

local seen = {}

local function warn(file, line, name)
  local place = string.format("%s:%d: ", file, line)
  local words = "an old name of a component, which fails when it runs: " .. component.renamed[name]
  if not seen[place .. name] then
    seen[place .. name] = true
    native.log("warn", place .. words)
  end
end

-- Calls `each(name, line)` for the old names in texts and names that the function uses: "drive", "drive.vx", e.drive.
local function scan(fn, each)
  local function look(v, line)
    if type(v) == "string" then
      v = renames.by_name[v] and v or v:match("^([%a_][%w_]*)%.[%w_]+$")
      if renames.by_name[v] then
        each(v, line)
      end
    end
  end
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, _, _, c, d = bytecode.instruction(fn, pc)
    local line = util.funcinfo(fn, pc).currentline
    if op == "KSTR" or op == "ISEQS" or op == "ISNES" then
      look(util.funck(fn, -d - 1), line)
    elseif op == "TGETS" or op == "TSETS" then
      look(util.funck(fn, -c - 1), line)
    elseif op == "TDUP" then
      for key, v in pairs(util.funck(fn, -d - 1)) do
        look(key, line)
        look(v, line)
      end
    end
  end
end

local function scan_children(fn, file, is_body)
  local info = util.funcinfo(fn)
  if is_body and util.funcinfo(fn, 1).currentline then -- packages have no lines
    scan(fn, function(name, line)
      warn(file, line, name)
    end)
  end
  for i = 1, info.children and info.gcconsts or 0 do
    local constant = util.funck(fn, -i)
    if type(constant) == "proto" then
      scan_children(constant, file, true)
    end
  end
end

---@param chunks { [1]: function, [2]: string }[] each file's
return function(chunks)
  for _, item in ipairs(next(renames.by_name) and chunks or {}) do
    scan_children(item[1], item[2], false)
  end
end
