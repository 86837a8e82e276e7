-- Failures with a place. `fail` throws what engine/script/report.c understands; where in a file a name stands is found in its
-- text, since a table that a file returned no longer knows its lines.
local M = {}

-- fields: message, file, line, piece. Only message is needed: C takes the place from the stack where it is missing.
function M.fail(fields)
  error(fields, 0)
end

-- As a text that is the same in every run: no address of a table or function.
function M.plain(v)
  local kind = type(v)
  local meta = kind == "table" and getmetatable(v)
  if kind == "table" and (type(meta) ~= "table" or not meta.__tostring) then
    return "table"
  elseif kind == "function" or kind == "thread" then
    return kind
  end
  return tostring(v)
end

-- string.format of plain values.
function M.format(text, ...)
  local count, args = select("#", ...), { ... }
  if count == 0 then
    return text
  end
  for i = 1, count do
    local kind = type(args[i])
    if kind ~= "number" and kind ~= "string" and kind ~= "boolean" and kind ~= "nil" then
      args[i] = M.plain(args[i])
    end
  end
  return string.format(text, unpack(args, 1, count))
end

-- An error of whoever called into the engine: a plain text, so that a script's own pcall can read it. C finds the line of the
-- game's file on the stack.
function M.complain(text, ...)
  error(M.format(text, ...), 0)
end

-- A message handler: gives a complaint the place in the game's files before the stack is gone, for those that throw it on.
function M.placed(problem)
  if type(problem) ~= "string" or problem:find("^[^\n:]+:%d+:") then
    return problem
  end
  for level = 2, 40 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then
      break
    elseif frame.source:find("^@") and not frame.source:find("^@%[shoal%]") and frame.currentline > 0 then
      return frame.source:sub(2) .. ":" .. frame.currentline .. ": " .. problem
    end
  end
  return problem
end

-- What was thrown, as a text.
function M.words(problem)
  if type(problem) == "table" and type(rawget(problem, "message")) == "string" then
    return problem.message
  end
  return type(problem) == "string" and problem or "an error that is a " .. type(problem) .. " value"
end

local function escaped(name)
  return (tostring(name):gsub("%p", "%%%0"))
end

-- The line where `names` follow one another in the text as keys or quoted words: where({…}, "tank", "components", "gun").
-- As far as they are found; 1 when not even the first one is.
function M.line_of(text, ...)
  local from = 1
  for i = 1, select("#", ...) do
    local name = escaped((select(i, ...)))
    local at
    local ahead = text -- what lies behind a place that was found need not be looked through: files can be long
    for _, pattern in ipairs { "%f[%w_]" .. name .. "%s*=[^=]", "%[%s*[\"']" .. name .. "[\"']%s*%]%s*=", "[\"']" .. name .. "[\"']" } do
      local found = ahead:find(pattern, from)
      if found and (not at or found < at) then
        at, ahead = found, text:sub(1, found + #name + 64)
      end
    end
    if not at then
      break
    end
    from = at
  end
  local _, lines = text:sub(1, from):gsub("\n", "")
  return lines + 1
end

-- "a, b, c" of a table's keys, sorted: for "there are: …". What the engine declares for itself is left out.
function M.names(t)
  local out = {}
  for name in pairs(t) do
    if not tostring(name):find("^shoal%.") then
      out[#out + 1] = tostring(name)
    end
  end
  table.sort(out)
  return #out > 0 and table.concat(out, ", ") or "none"
end

return M
