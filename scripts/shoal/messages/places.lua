-- Where the tables stand that a file returns, as its text has them: a list of steps that was read wrongly should be
-- named by its line, and a table does not know one. Reads `return { … }` as it is written; what is put together by code
-- has no place.
local need = ... -- luacheck: ignore 211

---@class engine.Place of a table in a text: by number and by name, the places of what stands in it
---@field line integer
---@field [integer|string] engine.Place|integer

local OPENS = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true }
local CLOSES = { ["end"] = true, ["until"] = true }

-- Behind white space and comments.
local function skip_space(text, at)
  local from
  repeat
    from = at
    at = text:match("^%s*()", at)
    local level = text:match("^%-%-%[(=*)%[", at)
    if level then
      local _, last = text:find("]" .. level .. "]", at, true)
      at = (last or #text) + 1
    elseif text:find("^%-%-", at) then
      at = text:find("\n", at, true) or #text + 1
    end
  until at == from
  return at
end

-- Behind a text that begins here; nil when none does.
local function skip_text(text, at)
  local level = text:match("^%[(=*)%[", at)
  if level then
    local _, last = text:find("]" .. level .. "]", at, true)
    return (last or #text) + 1
  end
  local mark = text:match("^[\"']", at)
  if not mark then
    return nil
  end
  at = at + 1
  while at <= #text and text:sub(at, at) ~= mark do
    at = at + (text:sub(at, at) == "\\" and 2 or 1)
  end
  return at + 1
end

-- To the `,`, `;` or `}` that ends an element.
local function skip_element(text, at)
  local depth = 0
  while at <= #text do
    at = skip_space(text, at)
    local c, word, behind = text:sub(at, at), text:match("^([%a_][%w_]*)()", at)
    if depth == 0 and c:find("^[,;}]") then
      return at
    elseif word then
      depth = depth + (OPENS[word] and 1 or CLOSES[word] and -1 or 0)
    elseif c:find("^[%({]") or c == "[" and not text:find("^%[=*%[", at) then
      depth = depth + 1
    elseif c:find("^[%)}%]]") then
      depth = depth - 1
    end
    at = behind or skip_text(text, at) or at + 1
  end
  return at
end

-- The table whose `{` stands before `at`, on that line. → its place, and what is behind it
local function read_table(text, at, line, depth)
  local place, count = { line = line }, 0
  while true do
    local from = at
    at = skip_space(text, at)
    local _, lines = text:sub(from, at - 1):gsub("\n", "")
    line = line + lines
    if at > #text or text:sub(at, at) == "}" then
      return place, at + 1
    end
    local name, behind = text:match("^([%a_][%w_]*)%s*=%f[^=]()", at)
    local start = name and skip_space(text, behind) or at
    local _, before = text:sub(at, start - 1):gsub("\n", "")
    local inner
    if text:sub(start, start) == "{" and depth < 32 then
      inner = read_table(text, start + 1, line + before, depth + 1)
    end
    if not name then
      count = count + 1
    end
    place[name or count] = inner or { line = line }
    local stop = skip_element(text, start)
    _, lines = text:sub(at, stop - 1):gsub("\n", "")
    line = line + lines
    at = text:find("^[,;]", stop) and stop + 1 or stop
  end
end

-- The place of the table that a file returns; nil where its text does not end with one.
---@param text string
---@return engine.Place?
return function(text)
  local found, from = nil, 1
  text = "\n" .. text
  while true do
    local at, last = text:find("\nreturn%s*{", from)
    if not at then
      break
    end
    found, from = last, last
  end
  if not found then
    return nil
  end
  local _, lines = text:sub(2, found):gsub("\n", "")
  return (read_table(text, found + 1, lines + 1, 0))
end
