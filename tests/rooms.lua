-- luajit tests/rooms.lua [--picture]: reads the includes of engine/ and says `ok` or `not ok` for what the rooms
-- promise: knowledge flows one way, from right to left in ORDER; at most one circle of files in a room; no room above
-- LINES lines besides its asserts; an assert in about 100 lines of each; and games no longer than they may be. With
-- --picture it prints the rooms instead: their lines, in how many of them there is an assert, and what they include.

-- A room may include the headers of those before it, and include/shoal.
local ORDER = {
  "include", "base", "crash", "schema", "ecs", "relation", "schedule", "native", "state", "platform", "tiles", "text",
  "vet", "components", "canvas", "light", "particles", "paint", "render", "ui", "sound", "sql", "store", "time",
  "luajit", "script", "plugin", "service", "overlay", "server", "start", "host", "cockpit", "library", "main",
}
-- Rooms of their own kind: plugins that ship see the public headers alone, examples what a program that embeds Shoal
-- sees: the same.
local APART = { plugins = { include = true }, examples = { include = true } }
local LINES = 6000
local LINES_OF_AN_ASSERT = 115
local WITHOUT_ASSERTS = { include = true, main = true } -- what plugins compile, and the command line

local rank = {}
for i, room in ipairs(ORDER) do
  rank[room] = i
end

local function lines_of(command)
  local out = {}
  for line in io.popen(command):lines() do
    out[#out + 1] = line
  end
  return out
end

local function room_of(path)
  return path:match("^([%w_]+)/") or "main"
end

-- A subject is a file and its headers: world.c, world.h and world_internal.h are one.
local function subject_of(path)
  return (path:gsub("%.[ch]$", ""):gsub("_internal$", ""))
end

-- Reads everything once: { [file] = list of files that it includes }, and lines by room.
local files, includes, lines, asserts = lines_of("find engine -name '*.[ch]' | LC_ALL=C sort"), {}, {}, {}
local known = {}
for i, file in ipairs(files) do
  files[i] = file:gsub("^engine/", "")
  known[files[i]] = true
end
for _, file in ipairs(files) do
  includes[file] = {}
  local count = 0
  for line in io.lines("engine/" .. file) do
    count = count + 1
    if line:find("^%s*shoal_assert%(") then
      asserts[room_of(file)] = (asserts[room_of(file)] or 0) + 1
    end
    local name = line:match('^#include [<"]([%w_/]+%.h)[>"]')
    name = name and (known[name] and name or known["include/" .. name] and "include/" .. name)
    if name then
      includes[file][#includes[file] + 1] = name
    end
  end
  lines[room_of(file)] = (lines[room_of(file)] or 0) + count
end

local function may(from, to)
  if from == to or to == "include" then
    return true
  elseif APART[from] then
    return APART[from][to]
  end
  return rank[from] and rank[to] and rank[to] < rank[from]
end

local failed = false
local function verdict(fine, name, why)
  failed = failed or not fine
  print(fine and "ok " .. name or "not ok " .. name .. ": " .. why)
end

-- { [subject] = subjects that it includes }, and the subjects in the order of their files.
local function subjects()
  local graph, order = {}, {}
  for _, file in ipairs(files) do
    local from = subject_of(file)
    if not graph[from] then
      graph[from], order[#order + 1] = {}, from
    end
    for _, name in ipairs(includes[file]) do
      if subject_of(name) ~= from then
        table.insert(graph[from], subject_of(name))
      end
    end
  end
  return graph, order
end

-- Circles of subjects, by Tarjan's algorithm: https://en.wikipedia.org/wiki/Tarjan's_strongly_connected_components_algorithm
local function circles()
  local graph, order = subjects()
  local number, low, stack, waiting, count, found = {}, {}, {}, {}, 0, {}
  local function visit(v)
    count = count + 1
    number[v], low[v], waiting[v] = count, count, true
    stack[#stack + 1] = v
    for _, w in ipairs(graph[v] or {}) do
      if not number[w] then
        visit(w)
        low[v] = math.min(low[v], low[w])
      elseif waiting[w] then
        low[v] = math.min(low[v], number[w])
      end
    end
    if low[v] == number[v] then
      local circle = {}
      repeat
        local w = table.remove(stack)
        waiting[w] = nil
        circle[#circle + 1] = w
      until w == v
      if #circle > 1 then
        table.sort(circle)
        found[#found + 1] = circle
      end
    end
  end
  for _, v in ipairs(order) do
    if not number[v] then
      visit(v)
    end
  end
  return found
end

local function picture()
  local all = {}
  for room in pairs(lines) do
    all[#all + 1] = room
  end
  table.sort(all, function(a, b)
    return (rank[a] or 99) < (rank[b] or 99) or (rank[a] == rank[b] and a < b)
  end)
  for _, room in ipairs(all) do
    local to, names = {}, {}
    for _, file in ipairs(files) do
      for _, name in ipairs(room_of(file) == room and includes[file] or {}) do
        if room_of(name) ~= room then
          to[room_of(name)] = (to[room_of(name)] or 0) + 1
        end
      end
    end
    for name, n in pairs(to) do
      names[#names + 1] = ("%s %d"):format(name, n)
    end
    table.sort(names)
    local many = asserts[room] and ("1 in %d"):format(math.floor(lines[room] / asserts[room] + 0.5)) or "none"
    print(("%-12s %6d lines  asserts %-8s  includes %s"):format(room, lines[room], many,
      #names > 0 and table.concat(names, ", ") or "nothing"))
  end
  for _, circle in ipairs(circles()) do
    print("circle of " .. #circle .. ": " .. table.concat(circle, ", "))
  end
end

if arg[1] == "--picture" then
  return picture()
end

for _, room in ipairs(ORDER) do
  local wrong = {}
  for _, file in ipairs(files) do
    for _, name in ipairs(room_of(file) == room and includes[file] or {}) do
      if not may(room, room_of(name)) then
        wrong[#wrong + 1] = file .. " includes " .. name
      end
    end
  end
  verdict(#wrong == 0, room .. " includes only what lies below it", table.concat(wrong, ", "))
  local count = (lines[room] or 0) - (asserts[room] or 0) -- so that nobody saves on asserts
  verdict(count <= LINES, room .. " is small enough to be known",
    ("%d lines of %d besides its asserts: split it"):format(count, LINES))
  if not WITHOUT_ASSERTS[room] then
    local each = (lines[room] or 0) / (asserts[room] or 1)
    verdict(each <= LINES_OF_AN_ASSERT, room .. " asserts what it relies on, in about one of 100 lines",
      ("one in %d: what do its heads say that holds always?"):format(each))
  end
end
for room, allowed in pairs(APART) do
  local wrong = {}
  for _, file in ipairs(files) do
    for _, name in ipairs(room_of(file) == room and includes[file] or {}) do
      if room_of(name) ~= room and room_of(name) ~= "include" and not allowed[room_of(name)] then
        wrong[#wrong + 1] = file .. " includes " .. name
      end
    end
  end
  verdict(#wrong == 0, room .. " includes only what a user of Shoal sees", table.concat(wrong, ", "))
end

local by_room = {}
for _, circle in ipairs(circles()) do
  local rooms = {}
  for _, subject in ipairs(circle) do
    rooms[room_of(subject .. "/")] = true
  end
  local room = next(rooms)
  verdict(next(rooms, room) == nil, "the circle around " .. circle[1] .. " stays in its room",
    table.concat(circle, ", "))
  by_room[room] = by_room[room] or {}
  table.insert(by_room[room], table.concat(circle, ", "))
end
local total = 0
for room, list in pairs(by_room) do
  total = total + #list
  verdict(#list == 1, room .. " has one circle of files at most", table.concat(list, "; "))
end
-- What other systems do otherwise stands in one file each, so that a port brings another one in its place.
for _, only in ipairs {
  { "copies of the process", { "base/child.c" }, { "%f[%w_]_?[fF]ork%s*%(", "%f[%w_]waitpid%s*%(", "sys/wait%.h" } },
  { "watching files", { "platform/file_watch.c" }, { "inotify_%w+%s*%(", "sys/inotify%.h" } },
  -- (What ends a copy is a signal, too.)
  { "signals", { "base/signals.c", "base/child.c" }, { "<signal%.h>", "ucontext", "sigaction", "sigaltstack" } },
} do
  local wrong, allowed = {}, {}
  for _, file in ipairs(only[2]) do
    allowed[file] = true
  end
  for _, file in ipairs(files) do
    local handle = assert(io.open("engine/" .. file))
    local text = handle:read("*a"):gsub("//[^\n]*", "")
    handle:close()
    for _, pattern in ipairs(only[3]) do
      wrong[#wrong + 1] = not allowed[file] and text:find(pattern) and file .. " has " .. text:match(pattern) or nil
    end
  end
  verdict(#wrong == 0, only[1] .. " stand in " .. table.concat(only[2], " and "), table.concat(wrong, ", "))
end
-- Games stay so short that a helper which the kit lacks shows. Their texts and what makes their assets do not count.
for game, most in pairs { pong = 500, invaders = 500, lantern = 1500, tron = 600,
  bounty_hunter = 600, rectangle_eater = 600, rpg_battle = 600 } do
  local pipe = assert(io.popen(("find scripts/games/%s -name '*.lua' -not -path '*/assets/*' -not -path '*/strings/*' "
    .. "-exec cat {} +"):format(game)))
  local _, count = pipe:read("*a"):gsub("\n", "")
  pipe:close()
  verdict(count > 100 and count <= most, game .. " is short enough", ("%d lines of %d"):format(count, most))
end
verdict(total <= 3, "there are three circles of files at most", total .. "; see luajit tests/rooms.lua --picture")
os.exit(failed and 1 or 0)
