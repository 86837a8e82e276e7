-- Warns about former names of components and fields (schema/renames.lua) in function bodies. Finds them in the
-- bytecode: its constants include all names and strings, and its instructions have lines.
local need, native = ...
local bytecode = need("compile/bytecode")
local component = need("schema/component")
local literal = need("schema/literal")
local renames = need("schema/renames")
local util = require("jit.util")

local seen = {}

local function warn(file, line, kind, words)
  local place = string.format("%s:%d: ", file, line)
  if not seen[place .. words] then
    seen[place .. words] = true
    native.log("warn", place .. "former name of a " .. kind .. ", an error at run time: " .. words)
  end
end

-- Returns true if the slot holds a global such as math or world at this instruction. Members of globals are not fields.
local function is_global(fn, pc, slot)
  for before = pc - 1, 1, -1 do
    if bytecode.writes(fn, before, slot) then
      return (bytecode.instruction(fn, before)) == "GGET"
    end
  end
  return false
end

-- Calls `each` for the keys and strings in a table constructor. Most keys of a literal passed to world.spawn are in the
-- literal's shape (schema/literal.lua).
local function scan_table(t, line, each)
  local shape = literal.shapes[t[literal.MARK]]
  for name, parts in pairs(shape and shape.parts or {}) do
    each(name, line, true)
    for _, part in ipairs(parts) do
      each(part.name, line, true)
    end
  end
  for key, v in pairs(t) do
    each(key, line, true)
    each(v, line, false)
  end
end

-- Calls each(text, line, is_member) for the strings and names that the function uses: "drive", "drive.vx", e.drive.
-- `is_member` is true for names of members and keys of tables.
local function scan(fn, each)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, _, b, c, d = bytecode.instruction(fn, pc)
    local line = util.funcinfo(fn, pc).currentline
    if op == "KSTR" or op == "ISEQS" or op == "ISNES" then
      each(util.funck(fn, -d - 1), line, false)
    elseif op == "TGETS" or op == "TSETS" then
      each(util.funck(fn, -c - 1), line, not is_global(fn, pc, b))
    elseif op == "TDUP" then
      scan_table(util.funck(fn, -d - 1), line, each)
    end
  end
end

local function scan_children(fn, is_body, each)
  local info = util.funcinfo(fn)
  scan(fn, function(text, line, is_member)
    if type(text) == "string" then
      each(text, line, is_member, is_body)
    end
  end)
  for i = 1, info.children and info.gcconsts or 0 do
    local constant = util.funck(fn, -i)
    if type(constant) == "proto" then
      scan_children(constant, true, each)
    end
  end
end

-- Returns the components that a file mentions, and the one whose behaviour it declares, by name.
local function components_of(chunk, file)
  local own, out = file:match("behaviours/.-([^/]+)%.lua$") or "", {}
  scan_children(chunk, false, function(text)
    local name = text:match("^[%a_][%w_]*") or ""
    out[name] = component.by_name[name]
  end)
  out[own] = component.by_name[own]
  return out
end

-- Returns "poise.stability is now poise.balance" if `member` is the former name of a field of a component in `named`,
-- and no component in `named` has a field of that name now; otherwise nil.
local function member_words(named, member)
  local words
  for _, known in pairs(named) do
    if known.by_name[member] or known.vectors[member] then
      return nil
    end
    words = words or renames.field(known, member)
  end
  return words
end

local function scan_file(chunk, file)
  local named = components_of(chunk, file)
  scan_children(chunk, false, function(text, line, is_member, is_body)
    local name, field = text:match("^([%a_][%w_]*)%.([%w_]+)$")
    local words = is_member and member_words(named, text) or field and renames.field(component.by_name[name], field)
    name = name or text
    if is_body and line then -- packaged games have no line numbers
      if renames.by_name[name] then
        warn(file, line, "component", component.renamed[name])
      elseif words then
        warn(file, line, "field", words)
      end
    end
  end)
end

---@param chunks { [1]: function, [2]: string }[] the main chunk and the name of each file
return function(chunks)
  for _, item in ipairs(renames.any() and chunks or {}) do
    scan_file(item[1], item[2])
  end
end
