-- Usage: luajit engine/docs/site/plugin_functions.lua > engine/docs/plugin_functions.md. Generates the list of
-- functions that plugins can call, from engine/include/shoal/functions.h and the other headers. A test compares the
-- page with the output.
local FOLDER = "engine/include/shoal/"
local HEADERS = {
  "plugin", "world", "relation", "observe", "job", "call", "table", "asset", "external_resources", "draw", "input", "sound", "profile",
  "near",
}

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

-- The inline functions of the headers, in the order in which they are declared: { name, header, body }.
local functions = {}
for _, header in ipairs(HEADERS) do
  local text = read(FOLDER .. header .. ".h"):gsub("SHOAL_PRINTF%b()%s*", "")
    :gsub("SHOAL_NODISCARD ", ""):gsub("SHOAL_MUST_USE ", "")
  for body in ("\n" .. text):gmatch("\n(static inline [^;{]*%(shoal_[cw]%w+ %*[cw].-\n}\n)") do
    functions[#functions + 1] = { name = body:match("(shoal_[%w_]+)%(shoal_[cw]"), header = header, body = body }
  end
end

-- Adds to each function the members of the host's function table (`api`) and the other inline functions that it calls.
for _, f in ipairs(functions) do
  f.members, f.callees = {}, {}
  for member in f.body:gmatch("api%->([%w_]+)%(") do
    f.members[member] = true
  end
  for _, other in ipairs(functions) do
    if other ~= f and f.body:find(other.name .. "%([cw]") then
      f.callees[#f.callees + 1] = other
    end
  end
end

-- Returns true if the inline function `f` calls this member of the host's function table, directly or through other
-- inline functions.
local function calls(f, member, seen)
  seen = seen or {}
  if f.members[member] then
    return true
  end
  for _, other in ipairs(f.callees) do
    if not seen[other] then
      seen[other] = true
      if calls(other, member, seen) then
        return true
      end
    end
  end
  return false
end

local list = read(FOLDER .. "functions.h"):gsub("\\\n", "\n")
local contexts = {}
for name, rest in list:gmatch("C%(([A-Z_]+), ([^\"]*\"[^\"]+\")%)") do
  contexts[name] = rest:match('"(.*)"')
end

print [[
# Functions for plugins

This page lists every function that a plugin can call, and where it can be called.

The headers in `engine/include/shoal/` document the functions; `world` stands for
[`<shoal/world.h>`](../include/shoal/world.h). A call from a place that the table does not allow has no effect; most
functions also fail the current call.

¹ Not in systems with `.parallel` or `.concurrent`. ² Not in functions with `.pure`.

| subject | functions | header | callable from |
|---|---|---|---|]]

-- Returns the rows of a section as { names, header, contexts }.
local function read_rows(rows)
  local out = {}
  for row in rows:gmatch("F(%b())") do
    local member, where = row:match("^%(([%w_]+)"), row:match(" ([A-Z_]+),%s*%(shoal_[cw]")
    local names, header = {}, nil
    for _, f in ipairs(functions) do
      if not f.listed and calls(f, member) then
        f.listed = true
        names[#names + 1] = ("`%s`"):format(f.name)
        header = header or f.header
      end
    end
    if #names == 0 then
      io.stderr:write("no inline function in engine/include/shoal calls " .. member .. "\n")
      os.exit(1)
    end
    out[#out + 1] = { table.concat(names, ", "), header, contexts[where] }
  end
  return out
end

-- Prints the rows of a section's functions, in the order of their declarations, with one row for each pair of a header
-- and the contexts in which the call is allowed.
local function print_section(title, rows)
  local groups, order = {}, {}
  for _, row in ipairs(rows) do
    local key = row[2] .. " " .. row[3]
    if not groups[key] then
      groups[key] = { header = row[2], contexts = row[3] }
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key], row[1])
  end
  for i, group in ipairs(order) do
    local subject = i == 1 and "| " .. title or "|"
    print(("%s | %s | %s | %s |"):format(subject, table.concat(group, ", "), group.header, group.contexts))
  end
end

local section = list:match("#define SHOAL_WORLD_FUNCTIONS%(F%)(.*)")
  :gsub("//[^\n]*\n#define SHOAL_STATE_FUNCTIONS%(F%)", "/* the state of the world */")
  :gsub("\n#define SHOAL_HOST_FUNCTIONS%(F%)%s*", "\n")
for title, text in section:gmatch("/%* (.-) %*/(.-)%f[/%z]") do
  print_section(title, read_rows(text))
end
