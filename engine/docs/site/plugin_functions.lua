-- Usage: luajit engine/docs/site/plugin_functions.lua > engine/docs/plugin_functions.md. Generates the list of
-- functions that plugins can call, from engine/include/shoal/functions.h and the other headers. A test compares the
-- page with the output.
local FOLDER = "engine/include/shoal/"
local HEADERS = {
  "plugin", "world", "observe", "job", "call", "table", "asset", "external_resources", "draw", "input", "sound", "profile",
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
  for body in ("\n" .. text):gmatch("\n(static inline [^;{]*%(shoal_[cw]%w+ %*[cw].-\n}\n)") do
    functions[#functions + 1] = { name = body:match("(shoal_[%w_]+)%(shoal_[cw]"), header = header, body = body }
  end
end

-- Returns true if the inline function `f` calls this member of the host's function table (`api`), directly or through
-- other inline functions.
local function calls(f, member, seen)
  seen = seen or {}
  if f.body:find("api%->" .. member .. "%(") then
    return true
  end
  for _, other in ipairs(functions) do
    if other ~= f and not seen[other] and f.body:find(other.name .. "%([cw]") then
      seen[other] = true
      if calls(other, member, seen) then
        return true
      end
    end
  end
  return false
end

local list = read(FOLDER .. "functions.h"):gsub("\\\n", "\n")
local places = {}
for word, rest in list:gmatch("P%(([A-Z_]+), ([^\"]*\"[^\"]+\")%)") do
  places[word] = rest:match('"(.*)"')
end

print [[
# Functions for plugins

This page lists every function that a plugin can call, and where it can be called.

The headers in `engine/include/shoal/` document each function: `world` in the tables stands for
[`<shoal/world.h>`](../include/shoal/world.h). [Plugins](plugins.md) explains how to write a plugin.

If you call a function from a place that is not listed, it has no effect; most functions also fail the current call with
a message.

¹ Not in systems with `.parallel` or `.beside`. ² Not in functions with `.pure`.]]

local section = list:match("#define SHOAL_WORLD_FUNCTIONS%(F%)(.*)")
  :gsub("//[^\n]*\n#define SHOAL_STATE_FUNCTIONS%(F%)", "/* the state of the world */")
  :gsub("\n#define SHOAL_HOST_FUNCTIONS%(F%)%s*", "\n")
for title, rows in section:gmatch("/%* (.-) %*/(.-)%f[/%z]") do
  print("\n## " .. title:sub(1, 1):upper() .. title:sub(2) .. "\n")
  print "| functions | header | effect | callable from |"
  print "|---|---|---|---|"
  for row in rows:gmatch("F(%b())") do
    local member, where, what = row:match("^%(([%w_]+)"), row:match(" ([A-Z_]+),%s*%(shoal_[cw]"), row:match('"([^"]*)"%)$')
    local names, headers = {}, {}
    for _, f in ipairs(functions) do
      if not f.listed and calls(f, member) then
        f.listed = true
        names[#names + 1] = ("`%s`"):format(f.name)
        if not headers[f.header] then
          headers[f.header] = true
          headers[#headers + 1] = f.header
        end
      end
    end
    if #names == 0 then
      io.stderr:write("no inline function in engine/include/shoal calls " .. member .. "\n")
      os.exit(1)
    end
    print(("| %s | %s | %s | %s |"):format(table.concat(names, ", "), table.concat(headers, ", "), what, places[where]))
  end
end
