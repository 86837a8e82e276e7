-- assets.json, assets.csv and assets.text: data files in the game's assets/ as read-only values. The files are loaded
-- with the game's code (script/sources.h): every VM sees the same contents, a replay detects changes, and saving
-- a file triggers a reload, which is rejected if the file is invalid.
local need, native = ...
local hidden_state = need("base/hidden_state")
local json = need("base/json")
local log = need("base/log")
local report = need("base/report")
local scope = need("base/scope")

---@class engine.data
local M = {}
local contents_by_key = {} -- values that have been read, by kind and name
local MAX_BYTES = 16777216 -- equal to SOURCES_MAX_DATA in script/sources.h
local EXTENSIONS = { json = true, csv = true, tsv = true, txt = true, md = true }
local KINDS = { json = "items.json", csv = "waves.csv", text = "credits.txt" }

-- Throws an error at a position in a file: as a load error while M.check is running, otherwise as an error of the
-- calling script.
local function raise_at(name, line, column, format, ...)
  local message = string.format(format, ...)
  if M.checking then
    report.fail { message = string.format("column %d: %s", column, message), file = "assets/" .. name, line = line,
      piece = "assets/" .. name }
  end
  report.raise("assets/%s:%d:%d: %s", name, line, column, message)
end

-- --- read-only values

local function create_write_handler(label)
  return function(_, key)
    report.raise("%s is read-only, like all data from assets/, so %s cannot be set: copy the "
      .. "table, or keep the value in a component's field", label, report.show(key))
  end
end

-- Returns a read-only version of a value. Objects are wrapped in proxies. Lists are not wrapped, so that # and ipairs
-- work on them; overwritten elements are detected in development runs, as in any constant (base/hidden_state.lua).
local function freeze(v, label)
  if type(v) ~= "table" then
    return v
  end
  for key, element in next, v do
    v[key] = freeze(element, type(key) == "number" and label .. "[" .. key .. "]" or label .. "." .. key)
  end
  if #v > 0 or next(v) == nil then
    json.behind[v] = v
    hidden_state.freeze_shared_list(v, label)
    return setmetatable(v, { __newindex = create_write_handler(label), __metatable = false })
  end
  local view = setmetatable({}, { __index = v, __newindex = create_write_handler(label), __metatable = false })
  json.behind[view] = v
  return view
end

-- --- JSON

local READ = {}

function READ.json(text, name)
  local ok, v = native.json_decode((text:gsub("^\239\187\191", "")))
  if ok then
    return v
  end
  local line, column, format = tostring(v):match("^line (%d+), column (%d+): (.*)$")
  raise_at(name, tonumber(line) or 1, tonumber(column) or 1, "%s", format or v)
end

-- --- CSV

-- The format follows RFC 4180: fields may be quoted, with "" for a quotation mark. Empty lines are skipped.

-- Reads the row at offset `offset`, which begins in line `line` and may contain line breaks in quoted fields. Returns
-- its fields, each { text, quoted, column }, the offset and line number of the next row, and the line number of this
-- row.
local function read_line(text, offset, line, name)
  local fields, row_start, first_line = {}, offset, line
  while true do
    local column = offset - row_start + 1
    local value, is_quoted
    if text:sub(offset, offset) == "\"" then
      local parts, start = {}, offset + 1
      while true do
        local quote_end = text:find("\"", start, true)
        if not quote_end then
          raise_at(name, first_line, column, "the closing quotation mark of a field is missing: add \"")
        end
        parts[#parts + 1] = text:sub(start, quote_end - 1)
        offset = quote_end + 1
        if text:sub(offset, offset) ~= "\"" then
          break
        end
        parts[#parts + 1], start = "\"", offset + 1
      end
      value, is_quoted = table.concat(parts), true
      local _, line_breaks = value:gsub("\n", "")
      line = line + line_breaks
      if not text:find("^[,\r\n]", offset) and offset <= #text then
        raise_at(name, line, column, "expected a comma or the end of the line after a quoted field")
      end
    else
      local field_end = text:find("[,\r\n]", offset) or #text + 1
      value, is_quoted = text:sub(offset, field_end - 1), false
      if value:find("\"", 1, true) then
        raise_at(name, line, column, "a quotation mark within a field: quote the whole field, and write \"\" for "
          .. "each quotation mark in it")
      end
      offset = field_end
    end
    fields[#fields + 1] = { value, is_quoted, column }
    if text:sub(offset, offset) ~= "," then
      return fields, text:match("^\r?\n?()", offset), line + 1, first_line
    end
    offset = offset + 1
  end
end

local function read_header(fields, name, line)
  local names = {}
  for i, field in ipairs(fields) do
    local key = field[1]:match("^%s*(.-)%s*$")
    if key == "" then
      raise_at(name, line, field[3], "column %d has no name: the first line must name all columns", i)
    elseif names[key] then
      raise_at(name, line, field[3], "two columns are named %s: rename one of them", key)
    end
    names[key], field[1] = true, key
  end
  return fields
end

local function parse_number(field)
  local digits = field[1]:match("^%s*([+-]?[%d%.]+[eE]?[+-]?%d*)%s*$")
  if field[2] or not digits or digits:find("^[+-]?0%d") then -- numbers with leading zeros, such as "007", are strings
    return nil
  end
  local number = tonumber((digits:gsub("^%+", "")))
  return number and number - number == 0 and number or nil
end

-- Returns true if column `i` is numeric: at least one of its fields is not empty, and all fields that are not empty are
-- numbers without quotation marks.
local function is_numeric_column(rows, i)
  local has_numbers = false
  for _, row in ipairs(rows) do
    if row[i][1] ~= "" or row[i][2] then
      if not parse_number(row[i]) then
        return false
      end
      has_numbers = true
    end
  end
  return has_numbers
end

-- Warns of a word in a column that seems to contain numbers, since the word makes all fields of the column strings.
-- Quoted fields and numbers with leading zeros show that the column contains strings.
local function warn_of_word(rows, i, key, name)
  local number_count, word_count, word, word_row = 0, 0, nil, nil
  for _, row in ipairs(rows) do
    local field = row[i]
    if field[2] or field[1]:find("^%s*[+-]?0%d") then
      return
    elseif parse_number(field) then
      number_count = number_count + 1
    elseif field[1] ~= "" then
      word_count = word_count + 1
      word, word_row = word or field, word_row or row
    end
  end
  if word and number_count >= word_count then
    log.warn("assets/%s:%d:%d: the column %s contains strings, because \"%.40s\" is not a number: correct it, or "
      .. "quote the fields of the column", name, word_row.line, word[3], key, word[1])
  end
end

function READ.csv(text, name)
  local offset, line, header, rows = text:match("^\239\187\191()") or 1, 1, nil, {}
  while offset <= #text do
    local fields, first_line
    fields, offset, line, first_line = read_line(text, offset, line, name)
    local is_empty = #fields == 1 and fields[1][1] == "" and not fields[1][2]
    if not header and not is_empty then
      header = read_header(fields, name, first_line)
    elseif not is_empty then
      if #fields ~= #header then
        raise_at(name, first_line, fields[#fields][3], "the line has %d field%s, but the first line names %d", #fields,
          #fields == 1 and "" or "s", #header)
      end
      fields.line = first_line
      rows[#rows + 1] = fields
    end
  end
  local out = {}
  for k in ipairs(rows) do
    out[k] = {}
  end
  for i, field in ipairs(header or {}) do
    local numbers = is_numeric_column(rows, i)
    if not numbers then
      warn_of_word(rows, i, field[1], name)
    end
    for k, row in ipairs(rows) do
      out[k][field[1]] = not numbers and row[i][1] or parse_number(row[i]) -- nil for an empty field
    end
  end
  return out
end

function READ.text(text)
  return text
end

-- --- files

local function read_text(name, kind)
  if type(name) ~= "string" or name == "" then
    report.raise("assets.%s: expected the name of a file, got %s: use assets.%s \"%s\"", kind, report.describe(name),
      kind,
      KINDS[kind])
  end
  local text, problem = native.source("assets/" .. name)
  local addon, rest = name:match("^([^/]+)/(.+)$")
  if not text and scope.by_name[addon] then
    text = native.source(scope.by_name[addon].root .. "assets/" .. rest)
  end
  if text then
    return text
  end
  local available = native.sources("assets")
  for _, file in ipairs(available) do
    if file == name then -- the file exists, but cannot be read
      report.raise("assets.%s: %s", kind, problem)
    end
  end
  if not native.asset_exists(name) then
    report.raise("assets.%s: assets/%s not found%s", kind, name, report.hint(name, available))
  elseif EXTENSIONS[name:match("%.(%w+)$") or ""] then
    report.raise("assets.%s: assets/%s is larger than %d MB or not in the game's own folder: split the "
      .. "file, or move it into the game's assets/", kind, name, MAX_BYTES / 1048576)
  end
  report.raise("assets.%s: %s has an unsupported extension: use .json, .csv, .tsv, .txt or .md", kind, name)
end

---@param kind "json"|"csv"|"text"
---@param name any
---@return any
function M.get(kind, name)
  name = scope.name("asset", name)
  local key = kind .. " " .. report.show(name)
  local content = contents_by_key[key]
  if content == nil then
    local text = read_text(name, kind)
    content = freeze(READ[kind](text, name), name)
    contents_by_key[key] = content
  end
  return content
end

-- Adds the names of data files that occur as literals in calls such as assets.json "items.json" to `named`, by kind.
local function find_named_files(source, named)
  if not source:find("assets", 1, true) then
    return
  end
  for kind, start in source:gmatch "assets%s*%.%s*(%a+)%s*%(?%s*()[\"']" do
    local _, name = source:match("^([\"'])(.-)%1", start)
    if named[kind] and name then
      named[kind][name] = true
    end
  end
end

-- Reads the JSON and CSV files that the code names, so that loading or reloading a game with an invalid file fails.
-- `sources`: sources of the game's Lua files.
---@param sources string[]
function M.check(sources)
  local named = { json = {}, csv = {} }
  for _, source in ipairs(sources) do
    find_named_files(source, named)
  end
  M.checking = true
  for _, name in ipairs(native.sources("assets")) do
    local kind = name:match("%.(%w+)$")
    if named[kind] and named[kind][name] then
      M.get(kind, name)
    end
  end
  M.checking = false
end

return M
