-- Generates a game of random systems in Lua and C that read and write the columns they declare:
-- luajit concurrent_systems.lua SEED FOLDER. The systems are loops in both precisions (systems/*.lua), concurrent
-- systems of a plugin (.concurrent, plugins/any.c), and systems that run alone. Used by
-- tests/scenarios/concurrent_systems.sh.
local seed, folder = tonumber(arg[1]), arg[2]
local COMPONENTS, LOOPS, NATIVE, ROWS = 8, 10, 10, 12000

local function choose_number(n) -- returns an integer from 1 to n
  seed = (seed * 16807) % 2147483647
  return seed % n + 1
end

local function write_file(path, text)
  local file = assert(io.open(folder .. "/" .. path, "w"))
  file:write(text)
  file:close()
end

-- Returns the indices of `count` different components.
local function choose_some(count)
  local out, taken = {}, {}
  while #out < count do
    local i = choose_number(COMPONENTS)
    if not taken[i] then
      out[#out + 1], taken[i] = i, true
    end
  end
  return out
end

local function quote_list(list)
  local names = {}
  for i, n in ipairs(list) do names[i] = ('"part%d"'):format(n) end
  return table.concat(names, ", ")
end

-- Commands of some rows, which are deferred until all other rows have run.
local EXITS = { 'world.emit("ping", { who = q.entity[i], power = %s })', 'world.emit("ping", { power = %s })',
  'q.entity[i]:add("mark", { value = %s })', 'q.entity[i]:remove("mark")',
  'world.spawn("crumb", { mark = { value = %s } })', 'q.entity[i]:set("part%d", { y = %s })', "q.entity[i]:destroy()" }

local function build_exit(parts)
  local part, pick = parts[choose_number(#parts)], choose_number(#EXITS + 3)
  local value = ("q.part%d.x[i] * 0.5"):format(part)
  local command = EXITS[pick > #EXITS and 1 or pick]
  command = command:find("%%d") and command:format(part, value) or command:format(value)
  local period = 180 + choose_number(800)
  return ("      if (i + world.tick) %% %d == 0 then\n        %s\n%s      end"):format(period, command,
    choose_number(2) == 1 and ("        q.part%d.x[i] = 1\n"):format(part) or "")
end

local function build_loop_system(number)
  local parts, lines = choose_some(choose_number(3)), {}
  for _ = 1, choose_number(3) do
    local to, from = parts[choose_number(#parts)], parts[choose_number(#parts)]
    local a, b = ({ "x", "y" })[choose_number(2)], ({ "x", "y" })[choose_number(2)]
    local line = "      q.part%d.%s[i] = q.part%d.%s[i] * 0.75 + q.part%d.%s[i] * 0.2 + dt"
    lines[#lines + 1] = line:format(to, a, to, a, from, b)
  end
  if number % 2 == 0 and choose_number(3) > 1 then
    table.insert(lines, choose_number(#lines + 1), build_exit(parts))
  end
  local text = "return {\n  priority = %d, query = { %s },\n%s  update = function(q, dt)\n    for i = 1, q.count do\n"
    .. "%s\n    end\n  end,\n}\n"
  write_file(("systems/k%02d.lua"):format(number), text:format(choose_number(9), quote_list(parts),
    number % 2 == 0 and "" or '  precision = "single",\n', table.concat(lines, "\n")))
end

-- Returns the source of a system in C and its declaration.
local function build_native_system(number)
  local parts = choose_some(1 + choose_number(2))
  local to, from, reads = parts[1], parts[#parts], ""
  local body = ("  float *to = SHOAL_COLUMN(v, part%d, x);\n"):format(to)
  local changes, parallel = choose_number(6) == 1, choose_number(3) == 1
  local value = ("SHOAL_COLUMN(v, part%d, y)[i]"):format(from)
  if #parts > 1 and choose_number(2) == 1 then
    reads = (".reads = {\"part%d\"}, "):format(from)
  elseif choose_number(3) == 1 then
    local other = choose_some(1)[1]
    if other ~= to and other ~= from then
      reads = (".reads = {\"part%d\"}, "):format(other)
      body = body .. ("  shoal_rows t = shoal_get_rows(shoal_get_world(c), &part%d_component);\n"):format(other)
      value = ("value_of(c, v, t, &part%d_component, i)"):format(other)
    end
  end
  body = body .. "  for (uint32_t i = 0; i < v->count; ++i) {\n"
    .. ("    to[i] = to[i] * 0.5f + %s * 0.25f + dt_s;\n"):format(value)
  if choose_number(3) == 1 then
    body = body .. "    to[i] += shoal_random_f32(c);\n"
  end
  if choose_number(3) == 1 then
    body = body .. "    if (i % 997 == 0)\n      SHOAL_EMIT(shoal_get_world(c), knock, 1)->power[0] = to[i];\n"
  end
  if changes then
    local what = choose_number(2) == 1 and "destroy(shoal_get_world(c), v->entities[i])"
      or ("add(shoal_get_world(c), v->entities[i], &part%d_component)"):format(choose_some(1)[1])
    body = body .. ("    if ((v->entities[i] + shoal_tick(c)) %% 499 == 0)\n      shoal_%s;\n"):format(what)
  end
  local run = "static void run%d(shoal_context *c, const shoal_view *v, float dt_s) {\n  (void)c;\n%s  }\n}\n"
  local declared = "{.name = \"n%02d\", .query = {%s}, %s.priority = %d, %s.concurrent = true, %s.run = run%d}"
  return run:format(number, body), declared:format(number, quote_list(parts), reads, choose_number(9),
    parallel and ".parallel = true, " or "", changes and ".concurrent_changes = true, " or "", number)
end

local source, systems = { "#include <shoal/plugin.h>\n" }, {}
local fields, names = "#define PART_FIELDS(F) F(f32, x, 1) F(f32, y, 2)\n", {}
for i = 1, COMPONENTS do
  names[i] = "part" .. i
  fields = fields .. ("SHOAL_COMPONENT(part%d, PART_FIELDS)\n"):format(i)
end
source[#source + 1] = fields .. "#define KNOCK_FIELDS(F) F(f32, power, 0)\nSHOAL_EVENT(knock, KNOCK_FIELDS)\n" .. [[
static inline float value_of(shoal_context *c, const shoal_view *v, shoal_rows t, const shoal_component *of,
                             uint32_t i) {
  uint32_t row = shoal_find_row(shoal_get_world(c), of, v->entities[i]);
  return row == SHOAL_NO_ROW ? 0.5f : ((const float *)t.columns[1])[row];
}
]]
for i = 1, NATIVE do
  source[#source + 1], systems[i] = build_native_system(i)
end
source[#source + 1] = ("SHOAL_PLUGIN(.name = \"any\", .version = 1, .components = SHOAL_COMPONENTS(%s, knock),\n"
  .. "  .systems = SHOAL_SYSTEMS(%s))\n"):format(table.concat(names, ", "), table.concat(systems, ",\n    "))
write_file("plugins/any.c", table.concat(source, "\n"))
for i = 1, LOOPS do
  build_loop_system(i)
end
write_file("components.lua", "local t = shoal.types\n"
  .. "return { mark = { value = 1 }, heard = t.single { sum = t.f64(0) } }\n")
write_file("assemblages.lua", "return { crumb = { components = { mark = {} } } }\n")
write_file("events.lua", "return { ping = { who = shoal.types.entity, power = 0 } }\n")
write_file("systems/hear.lua", "return { on = { ping = function(ev)\n  local heard = world.single.heard\n"
  .. "  for i = 1, ev.count do heard.sum = heard.sum * 0.5 + ev.power[i] end\nend } }\n")
write_file("systems/alone.lua", "return { priority = 5, query = { 'part1', 'part2' }, update = function(q)\n"
  .. "  for i = 1, q.count, 100 do q.part1.x[i] = q.part2.x[i] * 0.5 end\nend }\n")
-- Adds components in alternating order, so that rows are ordered differently in each component.
write_file("game.lua", ([[
return { title = "Any", plugins = { "any" }, start = function()
  local list = world.spawn_many(nil, %d)
  for part = 1, %d do
    local step = part %% 3 + 1
    for i = part %% 2 == 0 and 1 or #list, part %% 2 == 0 and #list or 1, part %% 2 == 0 and step or -step do
      list[i]:add("part" .. part, { x = i %% 100 / 7, y = (i + part) %% 13 })
    end
  end
end }
]]):format(ROWS, COMPONENTS))
