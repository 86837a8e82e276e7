-- Checks the dependencies between the modules of the engine (engine/LAYER/MODULE/), derived from symbols:
-- luajit tests/modules.lua --help
--
-- A file depends on the files that define the symbols that its object file needs (nm). Function pointers count too: if
-- a struct member or a parameter is only ever set to functions of one file, its callers depend on that file. A callback
-- therefore cannot hide a cycle. Includes count only for the order of the modules.
--
-- The table in engine/README.md lists the layers in order, and the README of each layer its modules: a module may use
-- the modules above it in its layer, and all modules in the layers above.

local USAGE = [[
luajit tests/modules.lua [--build DIR] [COMMAND], DIR being a folder of object files (build/debug/obj)
  without a command     the checks, as lines "ok …" and "not ok …"
  --picture             each layer and each module: lines, files, what it uses, its largest cycle of files
  --files MODULE        each file of a module: the files it uses, and the cycles by symbols and by includes
  --why A B             which symbols or pointers make A (a module, or module/file) use B
  --order               an order in which every module uses only those before it, and the cycles that prevent one]]

local MAX_CYCLE = 3 -- maximum number of files in a cycle within a module
-- Maximum number of files in a cycle of includes within a module; a header and its source count as one file.
local MAX_INCLUDE_CYCLE = 10
-- { [module] = size of its largest cycle of includes }, for modules whose parts share a struct with the state of all
-- parts. A size may only decrease.
local LARGER_INCLUDE_CYCLES = {}

-- Function pointers that do not count as dependencies although only one file provides functions for them, with the
-- reason. Most are visitors: functions of the caller that are called before the callee returns. "function()" is a
-- parameter of that function; a name without parentheses is a struct of function pointers.
local ACCEPTED = {
  ["thread_start()"] = "the body of a thread",
  ["child_begin()"] = "the body of a child process",
  ["jobs_run_parts()"] = "the body of a parallel loop",
  ["crash_run_stage()"] = "visitor: a part of a crash report that may crash itself",
  ["file_walk_t"] = "visitor: called for each file of a folder",
  ["account_list()"] = "visitor: called for each account",
  ["world_set_written_check()"] = "hook: checks values that a system has written",
  ["command_list()"] = "visitor: called for each command",
  ["command_list_waiting_rooms()"] = "visitor: called for each room",
  ["assemblage_merge_by_value()"] = "visitor: called for each decision of a merge",
  ["columns_clamp()"] = "visitor: called for each clamped value",
  ["lua_roles_t"] = "the caller knows the records of the game that runs; texts do not show them",
  ["world_clamp_all()"] = "subscriber: lines about clamped values go to any log",
  ["schedule_set_callback()"] = "subscriber: called after each system",
  ["journal_set_on_block()"] = "subscriber: complete blocks go to any file",
  ["log_set_listener()"] = "subscriber: log lines go to any listener",
  ["game_strings_create()"] = "the language is a column of the world, which text/ does not know",
  ["child_set_start_callback()"] = "a child process catches its own crashes if the program reports crashes",
  ["access_desc_t"] = "the standalone ECS has no transforms, whose children a host lists",
  ["match_code_t"] = "a match has no files or child processes, which the host uses to try changed code",
  ["world_task_t"] = "the world is below its snapshots, and restores one only between ticks",
  ["world_content_t"] = "the world and its snapshots are below what the content of a game adds to a world",
  ["definitions_definer_t"] = "definitions are below the scripts that declare assemblages",
  ["item_rows_import_t"] = "rows are below the room that counts what an import drops",
  ["lua_edit_init()"] = "an edit of texts gets them from its caller",
  ["watchdog_guard_t"] = "the watchdog is below the VM whose stack is read when it stops a script",
}

local MAX_LAYER_LINES, MAX_MODULE_LINES = 18000, 8000
-- { [layer or module] = maximum number of lines }: layers and modules with more lines, and their largest parts. A
-- number may only decrease, or increase in a commit whose body gives the reason (git log -G). A number that exceeds the
-- size by more than MAX_SLACK must decrease.
local LARGER_LAYERS = {
  -- base/, processes, tasks, links and crash reports, with the functions of the system for Linux and for Windows
  core = 18847,
  -- entities, columns, queries, events and templates; relations and pairs; batches of changes; migration of worlds
  ecs = 29378,
  -- games, reloads and matches; rooms and supervisors of served worlds, their accounts, operators and bots
  host = 41255,
  -- windows and input devices, decoders, painting, text and its layout, tiles and maps
  media = 18355,
  -- snapshots, saves, recordings and histories; the database of a served world: rows, chronicle and questions
  store = 27373,
}
local LARGER_MODULES = {
  -- memory, arrays, files, paths and time: the functions of the system for Linux and for Windows
  base = 9289,
  -- entities, queries, events, templates and batches of changes
  ecs = 13014,
  -- the running game in a window or without one: frames, reloads, and the machine of a player in a match
  host = 8555,
  -- rollback, identity and code of matches; accounts and moves between the rooms of a served world
  match = 8769,
  -- rows of owned entities and their rewriting, accounts, commands of operators, questions to PostgreSQL
  served = 8474,
  -- saves and their edits, owned items, values that the code does not know
  store = 8428,
  -- the editor in the browser: descriptions of a world, edits of texts, undo, panels
  cockpit = 12143,
}
local MAX_SLACK = 250

-- Folders that are not layers: see engine/README.md.
local NOT_LAYERS = { plugins = true, examples = true, docs = true, design = true, include = true }

local build, command, first, second = "build/debug/obj", nil, nil, nil
do
  local i = 1
  while i <= #arg do
    local word = arg[i]
    if word == "--build" then
      i = i + 1
      build = arg[i] or error("--build requires a folder", 0)
    elseif word == "--help" then
      print(USAGE)
      os.exit(0)
    elseif word:find("^%-%-") then
      command = word
    elseif not first then
      first = word
    else
      second = word
    end
    i = i + 1
  end
end

local function read_lines(shell)
  local out, pipe = {}, assert(io.popen(shell))
  for line in pipe:lines() do
    out[#out + 1] = line
  end
  pipe:close()
  return out
end

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do
    keys[#keys + 1] = k
  end
  table.sort(keys)
  return keys
end

-- --- sources

-- Suffixes of files that implement a header for one system, such as base/pages_linux.c (premake5.lua selects them).
local SYSTEMS = { linux = true, posix = true, windows = true }

-- Returns the suffix of a file that implements a header for one system, or nil for any other file.
local function system_of(path)
  local suffix = path:match("_(%l+)%.c$")
  return SYSTEMS[suffix] and suffix
end

-- Returns the name of a file in the form of an #include, without extension: "schema/columns" for
-- engine/ecs/schema/columns.c and its header, "plugins/net/net" for files outside the layers.
local function name_of(path)
  local layer, rest = path:match("^engine/([%w_]+)/(.*)$")
  if not layer or NOT_LAYERS[layer] then
    rest = path:gsub("^engine/", "")
  end
  return (rest:gsub("%.[ch]$", ""))
end

-- Like name_of, but returns the header's name for a file that implements the header for one system.
local function file_of(path)
  local system = system_of(path)
  return system and name_of(path):sub(1, -#system - 2) or name_of(path)
end

local function module_of(file)
  return file:match("^([%w_]+)/") or "main"
end

-- Blanks comments and strings, so that patterns match code only.
local function code_of(text)
  text = text:gsub("//[^\n]*", ""):gsub("/%*.-%*/", " ")
  return (text:gsub("\\.", "  "):gsub('"[^"\n]*"', '""'))
end

local sources, lines, includes = {}, {}, {} -- code by path; lines by module; included headers by path
local layer_of = { main = "main" } -- { [module] = its layer }
local headers = {} -- { [name that sources include] = path }
for _, path in ipairs(read_lines("find engine -name '*.[ch]' | LC_ALL=C sort")) do
  local module, text = module_of(file_of(path)), read_file(path)
  local layer = path:match("^engine/([%w_]+)/")
  if layer and not NOT_LAYERS[layer] then
    layer_of[module] = layer
  end
  headers[file_of(path) .. ".h"] = path:find("%.h$") and path or headers[file_of(path) .. ".h"]
  local _, count = text:gsub("\n", "")
  lines[module] = (lines[module] or 0) + count
  includes[path] = {}
  for name in text:gmatch('\n#include [<"]([%w_/]+%.h)[>"]') do
    table.insert(includes[path], name)
  end
  sources[path] = code_of(text)
end

-- --- symbols

-- { [file] = { [used file] = { [reason] = true } } }
local uses = {}
local function add_use(from, to, reason)
  if from ~= to then
    uses[from] = uses[from] or {}
    uses[from][to] = uses[from][to] or {}
    uses[from][to][reason] = true
  end
end

-- { ["module/object"] = file }: the source of build/debug/obj/schema/columns.o is engine/ecs/schema/columns.c, or
-- columns.c in a folder below engine/ecs/schema/.
local source_of = {}
for path in pairs(sources) do
  local file, name = file_of(path), path:match("([%w_]+)%.c$")
  if name then
    source_of[module_of(file) .. "/" .. name] = file
  end
end
source_of["shoal/main"] = "main"

local defined_in, needed, objects = {}, {}, 0
for _, line in ipairs(read_lines(("find %s -name '*.o' | LC_ALL=C sort | xargs nm -A 2>/dev/null"):format(build))) do
  local object, kind, symbol = line:match("([%w_]+/[%w_]+)%.o:%x*%s+(%a) (%S+)$")
  local file = object and source_of[object]
  if file then
    if kind == "U" then
      needed[file] = needed[file] or {}
      table.insert(needed[file], symbol)
    elseif kind == kind:upper() and not symbol:find("^__") then
      defined_in[symbol] = defined_in[symbol] or file
    end
    if not uses[file] then
      uses[file], objects = {}, objects + 1
    end
  end
end
for file, symbols in pairs(needed) do
  for _, symbol in ipairs(symbols) do
    if defined_in[symbol] then
      add_use(file, defined_in[symbol], symbol)
    end
  end
end

-- --- pointers to functions

-- Returns the functions defined in a file: a name at the start of a declarator, with a body.
local function functions_of(code)
  local names = {}
  for name in code:gmatch("\n[%a_][%w_ *]-([%a_][%w_]*)%([^;{}]*%)%s*{") do
    names[name] = true
  end
  return names
end

-- Members of structs and parameters that are pointers to functions: { [key] = { [providing file] = function } }. The
-- key is "struct.member", "struct.*" for positional initializers, or "function()" for the parameters of a function. A
-- file calls a member if it contains "->member(" or ".member(" and uses the struct or its header.
local given, pointer_header, member_owners = {}, {}, {}

-- Typedefs of function pointers: members and parameters of such a type count.
local pointer_types = {}
for _, code in pairs(sources) do
  for name in code:gmatch("typedef[^;{}]-%(%*([%w_]+)%)%s*%(") do
    pointer_types[name] = true
  end
end

for path, code in pairs(sources) do
  for body, name in code:gmatch("typedef struct[%w_ ]*(%b{})%s*([%w_]+);") do
    local function own(member)
      member_owners[member] = member_owners[member] or {}
      member_owners[member][name] = path
      pointer_header[name] = path
    end
    for member in body:gmatch("%(%*([%w_]+)%)%s*%(") do
      own(member)
    end
    for type_name, member in body:gmatch("([%w_]+) ([%w_]+);") do
      if pointer_types[type_name] then
        own(member)
      end
    end
  end
  for name, body in code:gmatch("struct ([%w_]+) (%b{});") do
    for member in body:gmatch("%(%*([%w_]+)%)%s*%(") do
      member_owners[member] = member_owners[member] or {}
      member_owners[member][name] = path
      pointer_header[name] = path
    end
  end
end

-- Functions with a function pointer as parameter.
local takes_pointers = {}
for path, code in pairs(sources) do
  if path:find("%.h$") then
    for name, parameters in code:gmatch("([%a_][%w_]*)(%b());") do
      local takes = parameters:find("(*", 1, true)
      for type_name in parameters:gmatch("([%w_]+_t) ") do
        takes = takes or pointer_types[type_name]
      end
      takes_pointers[name] = takes and true or nil
    end
  end
end

local function give(key, file, what)
  given[key] = given[key] or {}
  given[key][file] = what
end

-- Returns the struct of the member named at `at` in `code`: the only struct that has such a member, or the struct of
-- the enclosing initializer.
local function struct_at(code, at, member)
  local owners = member_owners[member]
  if not owners then
    return nil
  end
  local name = next(owners)
  if not next(owners, name) then
    return name
  end
  local depth, i = 0, at
  while i > 1 do -- back to the innermost open brace
    local c = code:sub(i, i)
    if c == "}" then
      depth = depth + 1
    elseif c == "{" then
      if depth == 0 then
        local before = code:sub(math.max(1, i - 160), i - 1)
        local type_name = before:match("%(%s*c?o?n?s?t?%s*([%w_]+)%s*%)%s*$")
          or before:match("([%w_]+)%s+[%w_]+%s*%[?[%w_]*%]?%s*=%s*$")
        return type_name and owners[type_name] and type_name
      end
      depth = depth - 1
    end
    i = i - 1
  end
end

for path, code in pairs(sources) do
  if path:find("%.c$") and layer_of[module_of(file_of(path))] then
    local file, own = file_of(path), functions_of(code)
    for at, member, value in code:gmatch("()[%.>]([%w_]+)%s*=%s*&?([%a_][%w_]*)%s*[,;})]") do
      if own[value] or defined_in[value] then
        local struct = struct_at(code, at, member)
        if struct then
          give(struct .. "." .. member, defined_in[value] or file, value)
        end
      end
    end
    -- Positional initializers: TYPE name = {a, b, c}.
    for type_name, body in code:gmatch("([%w_]+) [%w_]+ = (%b{})") do
      if pointer_header[type_name] and not body:find("%.[%w_]+ =") then
        for value in body:gmatch("[{,]%s*&?([%a_][%w_]*)%s*%f[,}]") do
          if own[value] or defined_in[value] then
            give(type_name .. ".*", defined_in[value] or file, value)
          end
        end
      end
    end
    -- Arguments that are functions: g(…, f, …).
    for callee, arguments in code:gmatch("([%a_][%w_]*)(%b())") do
      local target = takes_pointers[callee] and defined_in[callee]
      if target and target ~= file then
        for value in arguments:gmatch("[(,]%s*&?([%a_][%w_]*)%s*%f[,)]") do
          if own[value] then
            give(callee .. "()", file, value)
          end
        end
      end
    end
  end
end

-- { [member] = paths of the files that call it }
local member_callers = {}
for path, code in pairs(sources) do
  for member in code:gmatch("[%.>]([%w_]+)%)?%(") do
    if member_owners[member] then
      member_callers[member] = member_callers[member] or {}
      member_callers[member][path] = true
    end
  end
end

-- Returns the files whose .c file calls a member of this name and either mentions the struct or implements its header.
-- If no other struct has such a member, including the header is enough.
local function direct_callers(struct, member)
  local out, header = {}, pointer_header[struct]
  local name, unique = file_of(header) .. ".h", not next(member_owners[member], (next(member_owners[member])))
  for path in pairs(member_callers[member] or {}) do
    local near = file_of(path) == file_of(header) or sources[path]:find("%f[%w_]" .. struct .. "%f[^%w_]")
    for _, include in ipairs(unique and includes[path] or {}) do
      near = near or include == name
    end
    if near and path:find("%.c$") then
      out[file_of(path)] = true
    end
  end
  return out
end

-- A struct of pointers implemented by several files is an interface: its callers do not depend on these files.
local implementers = {}
for key, files in pairs(given) do
  local struct = key:match("^([%w_]+)%.")
  for file in pairs(struct and files or {}) do
    implementers[struct] = implementers[struct] or {}
    implementers[struct][file] = true
  end
end
local function is_interface(key)
  local files = implementers[key:match("^([%w_]+)%.") or ""]
  return files and next(files, (next(files))) ~= nil
end

local accepted = {} -- entries of ACCEPTED that occur
for key, files in pairs(given) do
  local only = next(files)
  local taker = key:match("^[%w_]+%(%)$") or key:match("^[%w_]+")
  if ACCEPTED[taker] then
    accepted[taker] = true
  elseif not next(files, only) and not is_interface(key) then
    local callee = key:match("^([%w_]+)%(%)$")
    if callee then
      add_use(defined_in[callee], only, key .. " calls " .. files[only])
    else
      local struct, member = key:match("^([%w_]+)%.(.+)$")
      for name, owners in pairs(member == "*" and member_owners or { [member] = { [struct] = true } }) do
        if owners[struct] then
          for file in pairs(direct_callers(struct, name)) do
            add_use(file, only, ("%s.%s is %s"):format(struct, name, files[only]))
          end
        end
      end
    end
  end
end

-- --- graphs

-- Returns the strongly connected components of { [node] = { [node] = … } } with more than one node, by Tarjan's
-- algorithm: https://en.wikipedia.org/wiki/Tarjan's_strongly_connected_components_algorithm
local function cycles_of(graph)
  local number, low, stack, waiting, count, found = {}, {}, {}, {}, 0, {}
  local function visit(v)
    count = count + 1
    number[v], low[v], waiting[v] = count, count, true
    stack[#stack + 1] = v
    for _, w in ipairs(sorted_keys(graph[v] or {})) do
      if graph[w] and not number[w] then
        visit(w)
        low[v] = math.min(low[v], low[w])
      elseif waiting[w] then
        low[v] = math.min(low[v], number[w])
      end
    end
    if low[v] == number[v] then
      local cycle = {}
      repeat
        local w = table.remove(stack)
        waiting[w] = nil
        cycle[#cycle + 1] = w
      until w == v
      table.sort(cycle)
      found[#found + 1] = cycle
    end
  end
  for _, v in ipairs(sorted_keys(graph)) do
    if not number[v] then
      visit(v)
    end
  end
  return found -- ordered: each component follows the components that it uses
end

local function larger(cycles)
  local out = {}
  for _, cycle in ipairs(cycles) do
    if #cycle > 1 then
      out[#out + 1] = cycle
    end
  end
  table.sort(out, function(a, b) return #a > #b end)
  return out
end

local modules = {} -- { [module] = { [used module] = { "file -> file (reason)" … } } }
for file, used in pairs(uses) do
  local from = module_of(file)
  modules[from] = modules[from] or {}
  for to, reasons in pairs(used) do
    local target = module_of(to)
    if target ~= from then
      modules[from][target] = modules[from][target] or {}
      for _, reason in ipairs(sorted_keys(reasons)) do
        table.insert(modules[from][target], ("%s -> %s (%s)"):format(file, to, reason))
      end
    end
  end
end
local layers = {} -- { [layer] = { [used layer] = { "file -> file (reason)" … } } }
for _, module in ipairs(sorted_keys(modules)) do
  if not layer_of[module] then
    modules[module] = nil
  end
end
for module, used in pairs(modules) do
  local layer = layer_of[module]
  layers[layer] = layers[layer] or {}
  for to, reasons in pairs(used) do
    local target = layer_of[to]
    if target and target ~= layer then
      layers[layer][target] = layers[layer][target] or {}
      for _, reason in ipairs(reasons) do
        table.insert(layers[layer][target], reason)
      end
    end
  end
end
local layer_lines = {}
for module, layer in pairs(layer_of) do
  layer_lines[layer] = (layer_lines[layer] or 0) + (lines[module] or 0)
end

local function files_of(module)
  local graph = {}
  for file, used in pairs(uses) do
    if module_of(file) == module then
      graph[file] = {}
      for to in pairs(used) do
        graph[file][to] = module_of(to) == module or nil
      end
    end
  end
  return graph
end

-- Returns the graph of includes within a module.
local function includes_of(module)
  local graph = {}
  for path, names in pairs(includes) do
    local file = file_of(path)
    if module_of(file) == module then
      graph[file] = graph[file] or {}
      for _, name in ipairs(names) do
        local to = name:gsub("%.h$", "")
        graph[file][to] = to ~= file and module_of(to) == module or nil
      end
    end
  end
  return graph
end

local function sizes(cycles)
  local out = {}
  for _, cycle in ipairs(cycles) do
    out[#out + 1] = #cycle
  end
  return #out > 0 and table.concat(out, ", ") or "none"
end

if objects == 0 then
  error(("no object files in %s: ./shoal build --config debug makes them"):format(build), 0)
end

if command == "--picture" then
  local function uses_of(used)
    local names = {}
    for _, to in ipairs(sorted_keys(used)) do
      names[#names + 1] = ("%s %d"):format(to, #used[to])
    end
    return #names > 0 and table.concat(names, ", ") or "none"
  end
  for _, layer in ipairs(sorted_keys(layers)) do
    print(("%-7s %6d lines, uses %s"):format(layer, layer_lines[layer], uses_of(layers[layer])))
  end
  for _, module in ipairs(sorted_keys(modules)) do
    local graph = files_of(module)
    print(("%-7s %-12s %5d lines %3d files, cycles: %-8s uses %s"):format(layer_of[module], module, lines[module] or 0,
      #sorted_keys(graph), sizes(larger(cycles_of(graph))), uses_of(modules[module])))
  end
  for _, level in ipairs { { "layers", layers }, { "modules", modules } } do
    for _, cycle in ipairs(larger(cycles_of(level[2]))) do
      print(("cycle of %d %s: %s"):format(#cycle, level[1], table.concat(cycle, ", ")))
    end
  end
  os.exit(0)
elseif command == "--files" then
  local graph = files_of(first)
  for _, file in ipairs(sorted_keys(graph)) do
    print(file .. " -> " .. table.concat(sorted_keys(graph[file]), " "))
  end
  for _, cycle in ipairs(larger(cycles_of(graph))) do
    print(("cycle of %d files: %s"):format(#cycle, table.concat(cycle, ", ")))
  end
  for _, cycle in ipairs(larger(cycles_of(includes_of(first)))) do
    print(("cycle of includes of %d files: %s"):format(#cycle, table.concat(cycle, ", ")))
  end
  os.exit(0)
elseif command == "--why" then
  for _, file in ipairs(sorted_keys(uses)) do
    for _, to in ipairs(sorted_keys(uses[file])) do
      if (file == first or module_of(file) == first) and (to == second or module_of(to) == second) and file ~= to then
        print(("%s -> %s: %s"):format(file, to, table.concat(sorted_keys(uses[file][to]), ", ")))
      end
    end
  end
  os.exit(0)
elseif command == "--order" then
  for _, cycle in ipairs(cycles_of(modules)) do
    print(#cycle == 1 and cycle[1] or "cycle: " .. table.concat(cycle, ", "))
  end
  os.exit(0)
elseif command then
  error(USAGE, 0)
end

-- --- checks

local failed = false
local function verdict(fine, name, why)
  failed = failed or not fine
  print(fine and "ok " .. name or "not ok " .. name .. ": " .. why)
end

-- The tables of engine/README.md and of the layers' READMEs: | `name/` | description | …
local function table_rows(path)
  local names = {}
  for name in read_file(path):gsub("\n## The Lua half\n.*", ""):gmatch("\n| %[?`([%w_]+)/`") do
    names[#names + 1] = not NOT_LAYERS[name] and name or nil
  end
  return names
end
local rank, count = {}, 0
for _, layer in ipairs(table_rows("engine/README.md")) do
  verdict(layers[layer], layer .. " in the table of engine/README.md is a folder with modules", "it is not")
  local readme = ("engine/%s/README.md"):format(layer)
  for _, module in ipairs(table_rows(readme)) do
    verdict(layer_of[module] == layer,
      ("%s in the table of %s is a folder with sources"):format(module, readme), "it is not")
    rank[module], count = count, count + 1
  end
end
rank.main = count

-- Checks the size of a layer or module. `larger_max`: its entry in LARGER_LAYERS or LARGER_MODULES, or
-- nil.
local function check_lines(what, size, max, larger_max)
  verdict(size <= (larger_max or max), ("%s has at most %d lines"):format(what, larger_max or max), size .. " lines")
  if not larger_max then return end
  verdict(larger_max - size <= MAX_SLACK and size > max,
    ("%s needs its larger limit of lines"):format(what), ("it has %d lines: lower the limit"):format(size))
end

for _, layer in ipairs(sorted_keys(layers)) do
  check_lines("the layer " .. layer, layer_lines[layer], MAX_LAYER_LINES, LARGER_LAYERS[layer])
end
for _, module in ipairs(sorted_keys(modules)) do
  verdict(rank[module],
    ("%s has a row in the table of engine/%s/README.md"):format(module, layer_of[module]), "missing row")
  check_lines("the module " .. module, lines[module], MAX_MODULE_LINES, LARGER_MODULES[module])
  local wrong = {}
  local function is_below(to) return rank[module] and rank[to] and rank[to] > rank[module] end
  for _, to in ipairs(sorted_keys(modules[module])) do
    if is_below(to) then
      wrong[#wrong + 1] = modules[module][to][1]
    end
  end
  for path, names in pairs(includes) do
    for _, name in ipairs(module_of(file_of(path)) == module and names or {}) do
      if headers[name] and is_below(name:match("^([%w_]+)/")) then
        wrong[#wrong + 1] = path .. " includes " .. name
      end
    end
  end
  verdict(#wrong == 0, module .. " uses only modules above it in its layer and layers above", table.concat(wrong, "; "))
  for _, cycle in ipairs(larger(cycles_of(files_of(module)))) do
    verdict(#cycle <= MAX_CYCLE,
      ("%s has no cycle of more than %d files"):format(module, MAX_CYCLE), table.concat(cycle, ", "))
  end
  local max, largest = LARGER_INCLUDE_CYCLES[module] or MAX_INCLUDE_CYCLE, 1
  for _, cycle in ipairs(larger(cycles_of(includes_of(module)))) do
    largest = math.max(largest, #cycle)
    verdict(#cycle <= max,
      ("%s has no cycle of includes of more than %d files"):format(module, max), table.concat(cycle, ", "))
  end
  verdict(not LARGER_INCLUDE_CYCLES[module] or largest == max,
    ("%s in LARGER_INCLUDE_CYCLES has that size"):format(module), "it is " .. largest .. ": lower the entry")
end
for _, level in ipairs { { "layers", layers }, { "modules", modules } } do
  for _, cycle in ipairs(larger(cycles_of(level[2]))) do
    verdict(false, ("the dependencies of %s are acyclic"):format(level[1]), table.concat(cycle, ", "))
  end
end

for _, name in ipairs(sorted_keys(ACCEPTED)) do
  verdict(accepted[name], name .. " in ACCEPTED still takes functions", "unused: delete the entry")
end

-- Plugins and examples may include only headers that are available to users of Shoal.
for _, name in ipairs { "plugins", "examples" } do
  local wrong = {}
  for path, list in pairs(includes) do
    for _, include in ipairs(module_of(file_of(path)) == name and list or {}) do
      local module = include:match("^([%w_]+)/")
      if modules[module] and headers[include] then
        wrong[#wrong + 1] = path .. " includes " .. include
      end
    end
  end
  verdict(#wrong == 0, name .. " include only public headers", table.concat(wrong, ", "))
end

-- Only a few files, which a port replaces, may contain code specific to an operating system.
for _, only in ipairs {
  { "functions for child processes", { "child_linux.c" },
    { "%f[%w_]_?[fF]ork%s*%(", "%f[%w_]waitpid%s*%(", "sys/wait%.h" } },
  { "functions for file watching", { "folder_events_linux.c" }, { "inotify_%w+%s*%(", "sys/inotify%.h" } },
  { "signal functions",
    { "signals_linux.c", "child_linux.c", "sandbox_linux.c", "signals_windows.c", "fault_code_windows.c" },
    { "<signal%.h>", "ucontext", "sigaction", "sigaltstack" } },
} do
  local wrong, allowed = {}, {}
  for _, name in ipairs(only[2]) do
    allowed[name] = true
  end
  for path, code in pairs(sources) do
    for _, pattern in ipairs(only[3]) do
      if not allowed[path:match("[%w_]+%.[ch]$")] and code:find(pattern) then
        wrong[#wrong + 1] = path .. " has " .. code:match(pattern)
      end
    end
  end
  verdict(#wrong == 0, only[1] .. " are used only in " .. table.concat(only[2], " and "), table.concat(wrong, ", "))
end

-- Headers of a system are included, and the system is tested, only in files that implement a header for one system. All
-- systems of the engine have the headers of C11, pthread.h and strings.h (mingw-w64 provides both); the other names
-- belong to libraries.
local PORTABLE = {}
for name in ([[assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
  stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time uchar wchar wctype pthread strings
  cxxabi immintrin archive archive_entry box2d chipmunk cglm enet epoxy expat fribidi ft2build harfbuzz jansson
  lauxlib lua luajit lualib minizip SDL2 sha1 sha2 shoal sleef sodium sqlite3 stb webp wslay xxhash zlib zstd
]]):gmatch("%S+") do
  PORTABLE[name] = true
end

-- Returns the headers of the system that a file includes, and the macros with which it tests the system, as keys.
local function find_system_headers(code)
  local found = {}
  for header in code:gmatch("\n%s*#%s*include%s*<([%w_/]+%.h)>") do
    found[header] = not PORTABLE[header:match("^[%w_]+")] or nil
  end
  for condition in code:gmatch("\n%s*#%s*%l*if([^\n]*)") do
    for word in condition:gmatch("%f[%w_]_[%w_]+") do
      for _, system in ipairs { "__linux", "__unix", "__APPLE", "_WIN", "__MINGW", "__GLIBC" } do
        found[word] = found[word] or word:sub(1, #system) == system or nil
      end
    end
  end
  return found
end

local system_headers, lone_files = {}, {}
for path, code in pairs(sources) do
  for header in pairs(system_of(path) and {} or find_system_headers(code)) do
    system_headers[#system_headers + 1] = path .. " uses " .. header
  end
  lone_files[#lone_files + 1] = system_of(path) and not headers[file_of(path) .. ".h"] and path or nil
end
table.sort(system_headers)
verdict(#system_headers == 0, "only files for one system use headers of the system", table.concat(system_headers, ", "))
verdict(#lone_files == 0, "each file for one system is beside the header that it implements",
  table.concat(lone_files, ", "))

-- Each use of these is a row of the table "Below the language" in the tour, and each row names a use.
local BELOW_LANGUAGE = {
  fork = "%f[%w_]fork%s*%(",
  _Fork = "%f[%w_]_Fork%s*%(",
  posix_spawn = "%f[%w_]posix_spawn%s*%(",
  child_begin = "%f[%w_]child_begin%s*%(",
  child_begin_program = "%f[%w_]child_begin_program%s*%(",
  child_fork = "%f[%w_]child_fork%s*%(",
  longjmp = "%f[%w_]_?longjmp%s*%(",
  PROT_EXEC = "%f[%w_]PROT_EXEC%f[^%w_]",
  _dl_find_object = "%f[%w_]_dl_find_object%f[^%w_]",
  __wrap_ = "%f[%w_]__wrap_",
}

-- Returns a set of "FILE uses WORD" from the first two columns of the tour's table.
local function read_tour_table()
  local section = read_file("engine/docs/tour.md"):match("\n## Below the language\n(.-)\n## ") or ""
  local listed = {}
  for file, used in section:gmatch("\n| `([%w_/]+%.c)[^`]*` | ([^|]*) |") do
    for word in used:gmatch("`([%w_]+)`") do
      listed[file .. " uses " .. word] = true
    end
  end
  return listed
end

local listed, unlisted = read_tour_table(), {}
for path, code in pairs(sources) do
  local file = name_of(path) .. ".c"
  for word, pattern in pairs(BELOW_LANGUAGE) do
    local use = file .. " uses " .. word
    local declares = path:find("%.h$") or path:find("^engine/core/process/child_%l+%.c$") and word:find("^child_")
    if not declares and code:find(pattern) then
      unlisted[#unlisted + 1] = not listed[use] and use or nil
      listed[use] = nil
    end
  end
end
table.sort(unlisted)
verdict(#unlisted == 0, "engine/docs/tour.md lists all code below the language", table.concat(unlisted, ", "))
verdict(not next(listed), "the code below the language that engine/docs/tour.md lists exists",
  table.concat(sorted_keys(listed), ", "))
os.exit(failed and 1 or 0)
