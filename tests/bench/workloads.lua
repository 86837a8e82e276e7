-- The benchmarks that tests/bench/run measures. A benchmark has a game folder and a plain C workload (by default of the
-- same name), the timed `systems` of the game, and cases with their sizes and rows. A system that works only every n-th
-- tick has `every = n`; `operations` is its number of operations per entity of the case (default: 1). `checks` names
-- the results that programs must print: with `true`, at least two programs print the same value; otherwise it is the
-- expected value. `derived` values are computed from the measured ones. A row's `reach` is the goal: a ratio to C if
-- the row has `c`, otherwise a value. With `tables` and `arrays`, the workload also runs in LuaJIT (plain_lua.lua,
-- plain_arrays.lua); `objects` names a second C workload, with arrays of structs.
--
-- Plain C is the best that a C programmer would write for the same data and the same results: columns, restrict, SLEEF
-- where Shoal calls it. tests/bench/run checks results, and that the compiler vectorises the loops marked with LOOP.
--
-- A case with `ways` runs whole processes of the game, each with few and with many ticks (`short`, `ticks`), and
-- reports the CPU time of a tick in ms. A case with `fresh` runs in that many processes, each next to plain C, and
-- reports the slowest. A case with `commands` measures each command as a whole.

local function sum(v, names)
  local total = 0
  for _, name in ipairs(names) do total = total + v["shoal." .. name] end
  return total
end

local function move_rows()
  return {
    { what = "plain C", value = "plain.c" },
    { what = "update form beside the built-in transforms", value = "shoal.movement", c = "plain.c" },
    { what = "C allocations", value = "shoal.allocations", unit = "/tick" },
    { what = "new bytes in Lua", value = "shoal.lua_bytes", unit = "/tick" },
  }
end

local function iterate_rows(single, update, each)
  return {
    { what = "plain C", value = "plain.c" },
    { what = "single precision", value = "shoal.move_single", c = "plain.c", reach = single },
    { what = "update", value = "shoal.move_update", c = "plain.c", reach = update },
    { what = "each", value = "shoal.move_each", c = "plain.c", reach = each },
    { what = "LuaJIT, FFI arrays", value = "arrays.iterate", c = "plain.c" },
    { what = "LuaJIT, a table per entity", value = "luajit.tables", c = "plain.c" },
    { what = "LÖVE, a table per entity", value = "love.tables", c = "plain.c" },
  }
end

-- Numbers of frames in the short and the long run of a scene. The difference of their CPU times gives the CPU time of a
-- frame, for all threads and for the main thread. With GALLIUM_NOOP, the driver does nothing, which leaves the time of
-- the program.
local FRAMES = { short = 20, long = 120 }

-- Returns the rows of the workload `entity`.
local function entity_rows()
  local function row(what, name, plain, reach)
    return { what = what, value = "entity." .. name, c = plain and "entity.plain_" .. plain, reach = reach }
  end
  local function flecs_row(what, name)
    return { what = what, value = "flecs." .. name, c = "entity.plain_" .. name }
  end
  local function in_order(what, name)
    return { what = what, value = "entity." .. name .. "_in_order", c = "flecs.get_in_order", of = "flecs" }
  end
  return {
    row("create: plain C", "plain_create"),
    row("shoal_spawn and two SHOAL_SET", "create", "create"),
    row("  with four queries", "create_four", "create"),
    row("shoal_spawn_many", "bulk_create_bare", "create"),
    row("  with four queries", "bulk_create", "create"),
    flecs_row("flecs", "create"),
    row("add: plain C", "plain_add"),
    row("shoal_add", "add", "add"),
    row("  with four queries", "add_four", "add"),
    flecs_row("flecs", "add"),
    row("read two fields: plain C", "plain_read"),
    row("SHOAL_GET", "read", "read"),
    row("shoal_find_row", "read_row", "read"),
    flecs_row("flecs", "read"),
    row("write two fields: plain C", "plain_write"),
    row("SHOAL_SET", "write", "write"),
    flecs_row("flecs", "write"),
    row("remove: plain C", "plain_remove"),
    row("shoal_remove", "remove", "remove"),
    row("  with four queries", "remove_four", "remove"),
    row("  one of them a group", "remove_group", "remove"),
    flecs_row("flecs", "remove"),
    row("destroy: plain C", "plain_destroy"),
    row("shoal_destroy", "destroy", "destroy"),
    row("  with four queries", "destroy_four", "destroy"),
    row("  one of them a group", "destroy_group", "destroy"),
    row("shoal_destroy_many, with four queries", "bulk_destroy", "destroy"),
    row("  the first half of a list", "bulk_destroy_half", "destroy"),
    flecs_row("flecs", "destroy"),
    { what = "shoal_has, in order of the rows", value = "entity.has_in_order", c = "flecs.has_in_order", of = "flecs" },
    in_order("SHOAL_GET, in order of the rows", "get"),
    in_order("  shoal_get, one field", "get_field"),
  }
end

-- Returns the benchmark of C calls for single entities, in a world of `count` entities without a game.
local function entity_case(count, ticks)
  return { key = count > 100000 and "entity_1m" or "entity",
    title = ("entity: calls in C to a world of %d entities, in random order, against sparse sets in C"):format(count),
    count = count, commands = {
      { prefix = "entity.", same = "sum", line = ("'$FOLDER/entity' entity $COUNT %d"):format(ticks) },
      { prefix = "flecs.", same = "sum", flecs = true, line = ("'$FOLDER/flecs' entity $COUNT %d"):format(ticks) },
    },
    rows = entity_rows() }
end

-- Returns the case of snapshots of a world that a program in C owns.
local function state_case()
  local function row(what, name, reach)
    return { what = what, value = "state." .. name, unit = "ms", c = name ~= "memcpy" and "state.memcpy" or nil,
      of = "memcpy", reach = reach }
  end
  return { key = "state", title = "state: snapshots of a world of 100,000 entities, against memcpy of as many bytes",
    count = 100000, commands = { { prefix = "state.", line = "'$FOLDER/entity' state $COUNT 20" } },
    rows = {
      row("memcpy", "memcpy"),
      row("shoal_snapshot", "take", 1.3),
      row("shoal_restore", "restore", 2.2),
      row("  after entities have come and gone", "restore_changed"),
      row("restore, and eight ticks with snapshots", "rollback"),
      row("  with a snapshot of every fourth tick", "rollback_fourth"),
    } }
end

local function picture_command(prefix, what, frames, noop, love)
  local with = "env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1 LP_NUM_THREADS=1 "
    .. (noop and "GALLIUM_NOOP=1 " or "")
  local shoal = ("'$PROGRAM' run '$FOLDER/draw' --every-tick --no-watch --history 0 --seed 1 --strict --ticks %d "
    .. "--exec 'world.single.bench.what = \"%s\" world.single.bench.last = %d'"):format(frames, what, frames - 1)
  return { prefix = prefix, love = love, same = frames,
    line = with .. (love and ("love '$FOLDER/draw_love' %s %d"):format(what, frames) or shoal) }
end

-- Returns the case of a scene that LÖVE cannot draw.
local function lights_case()
  local commands = {}
  for length, frames in pairs(FRAMES) do
    table.insert(commands, picture_command("shoal." .. length .. ".", "lights", frames, false))
  end
  table.sort(commands, function(a, b) return a.prefix > b.prefix end)
  return { key = "pictures_lights", title = "pictures: 200 lights with shadows, 60 boxes in their way", count = 1,
    commands = commands, most_runs = 5, derived = { ["shoal.process"] = function(v)
      return (v["shoal.long.process"] - v["shoal.short.process"]) / (FRAMES.long - FRAMES.short)
    end }, rows = { { what = "Shoal, a frame", value = "shoal.process", unit = "ms" } } }
end

local function picture_case(what, title, reach, own)
  local commands, derived = {}, {}
  for _, who in ipairs { "shoal", "love" } do
    for _, noop in ipairs { false, true } do
      local name = who .. (noop and "_own" or "")
      for length, frames in pairs(FRAMES) do
        table.insert(commands, picture_command(name .. "." .. length .. ".", what, frames, noop, who == "love"))
      end
      for _, part in ipairs { "process", "main" } do
        derived[name .. "." .. part] = function(v)
          return v[name .. ".long." .. part] and (v[name .. ".long." .. part] - v[name .. ".short." .. part])
            / (FRAMES.long - FRAMES.short)
        end
      end
    end
  end
  -- Shoal's commands come first: without LÖVE, only these run.
  table.sort(commands, function(a, b) return a.prefix > b.prefix end)
  return { key = "pictures_" .. what, title = "pictures: " .. title, count = 1, commands = commands, derived = derived,
    most_runs = 5, rows = {
      { what = "LÖVE, a frame", value = "love.process", unit = "ms" },
      { what = "Shoal, a frame", value = "shoal.process", unit = "ms", c = "love.process", of = "LÖVE", reach = reach },
      { what = "  its main thread", value = "shoal.main", unit = "ms", c = "love.main", of = "LÖVE" },
      { what = "  without the driver's work", value = "shoal_own.process", unit = "ms", c = "love_own.process",
        of = "LÖVE" },
      { what = "  the same, against LÖVE's main thread", value = "shoal_own.process", unit = "ms", c = "love.main",
        of = "LÖVE", reach = own },
    } }
end

local FRAME7 = { "movement", "data", "data_stream", "complex", "health", "damage", "sprite", "render" }

-- Returns the time of a frame with concurrent systems: the sum over all stages and all systems that run alone.
local function frame_of(v, prefix)
  local total, is_shared = 0, {}
  for key, time in pairs(v) do
    if key:sub(1, #prefix) == prefix and key:find(", ", 1, true) then
      total = total + time
      for name in key:sub(#prefix + 1):gmatch("[^, ]+") do is_shared[name] = true end
    end
  end
  for _, name in ipairs(FRAME7) do total = total + (is_shared[name] and 0 or v[prefix .. name]) end
  return total
end

local function frame7_rows(reach, alone)
  local rows = {
    { what = "plain C, in columns", value = "plain.c" },
    { what = "Shoal, seven systems", value = "frame", c = "plain.c", reach = reach },
  }
  for _, name in ipairs(FRAME7) do
    table.insert(rows, { what = "  " .. name, value = "shoal." .. name, c = "plain." .. name })
  end
  if alone then return rows end
  table.insert(rows, { what = "plain C, arrays of structs", value = "plain.objects", c = "plain.c" })
  table.insert(rows, { what = "LuaJIT, FFI arrays", value = "arrays.frame7", c = "plain.c" })
  table.insert(rows, { what = "LuaJIT, a table per entity", value = "luajit.tables", c = "plain.c" })
  table.insert(rows, { what = "LÖVE, a table per entity", value = "love.tables", c = "plain.c" })
  return rows
end

local function frame7_plain_case(title, count, ticks)
  local rows = frame7_rows(1.3, true)
  table.insert(rows, 2, { what = "  on two threads", value = "plain.two", c = "plain.c" })
  table.insert(rows, 4, { what = "  on two cores", value = "frame_two", c = "plain.c", reach = 0.6 })
  table.insert(rows, 5, { what = "    against two threads of C", value = "frame_two", c = "plain.two", of = "C, two" })
  return { key = "frame7_plain_" .. count, title = title, count = count, ticks = ticks, plain_ticks = ticks,
    plain_unpinned = true,
    options = "--native now --workers 1", rows = rows,
    also = { prefix = "two.", options = "--native now --workers 2", unpinned = true } }
end

local EXACT = { "sin", "cos", "tan", "atan", "atan2", "exp", "log", "pow" }

local function exact_rows()
  local rows = {}
  for _, name in ipairs(EXACT) do
    table.insert(rows, { what = name .. ": C with SLEEF", value = "plain." .. name })
    table.insert(rows, { what = "math." .. name .. " in Lua", value = "shoal." .. name, c = "plain." .. name,
      reach = 1.5 })
    table.insert(rows, { what = "  C with glibc, other results", value = "plain.glibc_" .. name, c = "plain." .. name })
  end
  return rows
end

local function read_rows(lookup, handle)
  return {
    { what = "plain C, ids with generations", value = "plain.c" },
    { what = "world.lookup, native", value = "shoal.a_lookup", c = "plain.c", reach = lookup },
    { what = "  in LuaJIT", value = "lua.a_lookup", c = "plain.c" },
    { what = "  garbage per read", value = "lua.lookup_garbage", unit = "bytes", reach = 0.1 },
    { what = "e.health.hp, native", value = "shoal.b_handle", c = "plain.c", reach = handle },
    { what = "  in LuaJIT", value = "lua.b_handle", c = "plain.c" },
    { what = "  garbage per read", value = "lua.handle_garbage", unit = "bytes", reach = 0.1 },
    { what = "LuaJIT, a reference to a table", value = "luajit.tables", c = "plain.c" },
    { what = "LÖVE, a reference to a table", value = "love.tables", c = "plain.c" },
  }
end

local function read_case(key, title, count, ticks)
  return { key = key, title = title, count = count, ticks = ticks, plain_ticks = ticks, table_ticks = ticks,
    options = "--native now", also = { prefix = "lua.", options = "--native off" }, rows = read_rows(4, 8) }
end

local function sparks_case(title, count, ticks, respawn)
  return { key = "sparks_" .. title, title = "sparks: particles that are destroyed and spawned again, " .. title,
    count = count, ticks = ticks, plain_ticks = ticks, table_ticks = ticks, options = "--native now --workers 1",
    also = { prefix = "two.", options = "--native now --workers 2", unpinned = true }, rows = {
      { what = "fly: plain C", value = "plain.fly" },
      { what = "each with e:destroy", value = "shoal.fly", c = "plain.fly" },
      { what = "  two workers", value = "two.fly", c = "plain.fly" },
      { what = "  two against one", value = "faster", unit = "times", reach = count == 100000 and 1.3 or nil,
        at_least = true },
      { what = "LuaJIT, a table per spark", value = "luajit.fly", c = "plain.fly" },
      { what = "light: plain C", value = "plain.light" },
      { what = "world.spawn for each spark", value = "shoal.light", c = "plain.light", reach = respawn },
      { what = "LuaJIT, a table per spark", value = "luajit.light", c = "plain.light" },
    } }
end

-- Returns the number of moves of an entity in `ticks` ticks: two forms of the system move it in every tick, the form
-- `each` in every tenth tick. The C program makes the same number of moves, so that the sums agree.
local function moves(ticks)
  return 2 * ticks + math.ceil(ticks / 10)
end

-- Ways to run the bullet hell, compared by the CPU time of the whole process per tick. `kept` also records a history,
-- as a run in a window does.
local BULLETS = {
  { prefix = "each.", exec = "world.single.bench.form = \"each\"" },
  { prefix = "update.", exec = "world.single.bench.form = \"update\"" },
  { prefix = "kept.", exec = "world.single.bench.form = \"update\"", options = "--workers 1 --history 64" },
}

local function against(value, other)
  return function(v) return v[value] and v[other] and v[value] / v[other] end
end

local BULLETS_DERIVED = {
  each_tables = against("each.process", "luajit.process"), update_tables = against("update.process", "luajit.process"),
  kept_main = against("kept.main", "update.main"), kept_process = against("kept.process", "update.process"),
}

local function bullets_case(count, each, update)
  return { key = "bullets_" .. count, title = ("bullets: 200 ships fire 2,000 a tick, %s are in flight"):format(
    ("%g"):format(count / 1000) .. "k"), count = count, short = 60, ticks = 260, options = "--workers 1",
    ways = BULLETS, derived = BULLETS_DERIVED, rows = {
      { what = "LuaJIT, a table per entity", value = "luajit.process", unit = "ms" },
      { what = "each, world.spawn, world.emit", value = "each.process", unit = "ms" },
      { what = "  against tables", value = "each_tables", unit = "times", reach = each },
      { what = "update, spawn_many, emit_many", value = "update.process", unit = "ms" },
      { what = "  against tables", value = "update_tables", unit = "times", reach = update },
      { what = "the same with history", value = "kept.process", unit = "ms" },
      { what = "  processor time, against none", value = "kept_process", unit = "times", reach = 1.6 },
      { what = "  the main thread's alone", value = "kept_main", unit = "times", reach = 1.15 },
    } }
end

-- Operations on large worlds, whose cost per tick is reported in ns per entity.
local SIZE_FORMS = { "nothing", "first", "all", "export", "count", "where", "join" }

local function size_ways()
  local ways = {}
  for i, form in ipairs(SIZE_FORMS) do
    ways[i] = { prefix = form .. ".", exec = ("world.single.bench.form = %q"):format(form) }
  end
  return ways
end

local function size_case(count, ticks, most_runs)
  local derived = { first_ms = function(v) return v["first.process"] - v["nothing.process"] end }
  for _, form in ipairs(SIZE_FORMS) do
    derived[form .. "_ns"] = function(v) return (v[form .. ".process"] - v["nothing.process"]) * 1e6 / count end
  end
  local named = count < 1e6 and ("%dk"):format(count / 1000) or "1M"
  return { key = "size_" .. count, title = ("size: what is asked of a whole world, %s entities"):format(named),
    count = count, short = 3, ticks = 3 + ticks, most_runs = most_runs, options = "--workers 1",
    ways = size_ways(), derived = derived, rows = {
      { what = "world.each, left at the first one", value = "first_ms", unit = "ms" },
      { what = "world.each, all of them", value = "all_ns" },
      { what = "world.export()", value = "export_ns", reach = 1000 },
      { what = "SQL: count(*)", value = "count_ns" },
      { what = "SQL: WHERE", value = "where_ns" },
      { what = "SQL: JOIN, GROUP BY", value = "join_ns" },
    } }
end

-- Returns the command that measures memory use after 1,000 ticks, when memory that a large spawn needed temporarily has
-- been released.
local function memory_command(count)
  return { prefix = ("m%d."):format(count), line = ("'$PROGRAM' run '$HERE/size' --headless --no-watch --strict "
    .. "--ticks 1000 --stats --exec 'world.single.bench.count = %d'"):format(count) }
end

local function reload_command(count)
  return { prefix = ("r%d."):format(count),
    line = ("sh '$HERE/reload.sh' '$PROGRAM' '$HERE/size' %d '$FOLDER'"):format(count) }
end

local function fresh_case(system, case)
  case.fresh, case.derived, case.system = 50, {}, system
  case.rows = {
    { what = "each, the median process", value = "shoal." .. system },
    { what = "the slowest", value = "slowest shoal." .. system },
    { what = "  against the median, to C beside it", value = ("slowest against median shoal.%s to C"):format(system),
      unit = "times", reach = 1.5 },
  }
  return case
end

-- Systems that are compiled automatically; `limits` are indexed by their names.
local ROWS = { "move", "push", "health", "damage", "counter", "complex", "drift", "wrap", "particles", "turn", "orbit",
  "chase" }

local function named(names, value)
  local out = {}
  for _, name in ipairs(names) do out[name] = value end
  return out
end

local function plain_rows(limits, all_single)
  local rows = {}
  for _, name in ipairs(ROWS) do
    table.insert(rows, { what = name .. ": plain C", value = "plain." .. name })
    local form = (all_single or name == "push") and ": single" or ": update"
    table.insert(rows, { what = name .. form, value = "shoal." .. name, c = "plain." .. name, reach = limits[name] })
    if not all_single then
      table.insert(rows, { what = "  LuaJIT, FFI arrays", value = "arrays." .. name, c = "plain." .. name })
    end
  end
  if not all_single then
    table.insert(rows, { what = "orbit in floats: plain C, other results", value = "plain.orbit_single" })
    table.insert(rows, { what = "  orbit: update", value = "shoal.orbit", c = "plain.orbit_single" })
  end
  return rows
end

local ROWS_10K = { move = 2.8, push = 1.1, health = 2, damage = 3.2, complex = 2.4, drift = 2.8, wrap = 1.2,
  particles = 2.4, turn = 1.5, orbit = 1.5, chase = 1.5 }
local ROWS_SINGLE = { move = 1.1, push = 1.1, health = 1.1, damage = 1.1, complex = 1.3, drift = 1.3, wrap = 1.1,
  particles = 1.3, turn = 1.5, orbit = 1.5 }
local ROWS_1M = { move = 1.15, push = 1.05, health = 1, damage = 1.1, counter = 1.5, complex = 1.2,
  drift = 1.25, wrap = 1.35,
  particles = 1.25, turn = 1.5, orbit = 1.5, chase = 1.6 }

-- Ticks of the short and the long run of a small game with and without history. The difference of their CPU times gives
-- the CPU time of a tick.
local HISTORY_TICKS = { short = 120, long = 720 }

-- Returns the case that measures how much CPU time the recording of a history adds to small games.
local function history_case(games)
  local commands, derived, rows = {}, {}, {}
  for _, game in ipairs(games) do
    for _, history in ipairs { 0, 64 } do
      for length, ticks in pairs(HISTORY_TICKS) do
        table.insert(commands, { prefix = ("%s.%d.%s."):format(game, history, length),
          line = ("'$PROGRAM' run '$ROOT/scripts/games/%s' --headless --no-watch --seed 1 --ticks %d --history %d")
            :format(game, ticks, history) })
      end
    end
    for _, part in ipairs { "main", "process" } do
      derived[game .. "_" .. part] = function(v)
        local function tick(history)
          local prefix = ("%s.%d."):format(game, history)
          return v[prefix .. "long." .. part] - v[prefix .. "short." .. part]
        end
        return tick(64) / tick(0)
      end
      table.insert(rows, { what = ("%s, with against without: %s"):format(game, part), value = game .. "_" .. part,
        unit = "times", reach = part == "main" and 1.2 or 1.5 })
    end
  end
  table.sort(commands, function(a, b) return a.prefix < b.prefix end)
  return { key = "history", title = "history: ticks of small games, with and without history", count = 1,
    commands = commands, derived = derived, rows = rows }
end

-- Adds a run without machine code to a case.
local function in_both_forms(case)
  case.plain_ticks, case.options = case.ticks, "--native now"
  case.also = { prefix = "lua.", options = "--native off" }
  return case
end

-- Ticks of the short and the long run of a game with many systems. The short run lets LuaJIT compile all of them.
local SYSTEM_TICKS = { short = 1000, long = 2500 }

-- Returns the case of many systems over few rows, with times per system: a game has far more small systems than large
-- loops.
local function small_systems_case(count, reach)
  local ticks, commands = SYSTEM_TICKS.long, {
    { prefix = "plain.", same = "x", line = ("'$FOLDER/plain' small_systems %d %d"):format(count, SYSTEM_TICKS.long) },
    { prefix = "luajit.", same = "x",
      line = ("luajit '$HERE/plain_lua.lua' small_systems %d %d"):format(count, SYSTEM_TICKS.long) },
  }
  local derived = {}
  for _, form in ipairs { "each", "update" } do
    for length, last in pairs(SYSTEM_TICKS) do
      table.insert(commands, { prefix = form .. "." .. length .. ".", same = length == "long" and "x" or nil,
        line = ("'$PROGRAM' run '$FOLDER/%s_%d' --headless --no-watch --seed 1 --strict --ticks %d --stats --exec "
          .. "'world.single.bench.last = %d'"):format(form, count, last, last - 1) })
    end
    derived[form] = function(v)
      return (v[form .. ".long.process"] - v[form .. ".short.process"]) * 1e6 / (ticks - SYSTEM_TICKS.short) / count
    end
  end
  table.sort(commands, function(a, b) return a.prefix < b.prefix end)
  local function row(what, form)
    return { what = what, value = form, c = "luajit.tables", of = "LuaJIT", reach = reach }
  end
  return { key = "small_systems_" .. count, title = ("small_systems: %d systems over ten rows, ns per system"):format(
    count), count = count, commands = commands, derived = derived, rows = {
      { what = "plain C, calls through pointers", value = "plain.c" },
      { what = "LuaJIT, a function per system, tables", value = "luajit.tables", c = "plain.c" },
      row("each", "each"),
      { what = "  garbage per tick", value = "each.long.lua_bytes", unit = "bytes", reach = 1000 },
      row("update", "update"),
      { what = "  garbage per tick", value = "update.long.lua_bytes", unit = "bytes", reach = 1000 },
    } }
end

local function references_case(size, count, ticks)
  return in_both_forms { key = "references_" .. size:lower(), title = "references: seekers follow a random other one, "
    .. size, count = count, ticks = ticks, table_ticks = ticks, rows = {
      { what = "plain C, ids with generations", value = "plain.c" },
      { what = "each, native", value = "shoal.seek", c = "plain.c" },
      { what = "each, in LuaJIT", value = "lua.seek", c = "plain.c" },
      { what = "LuaJIT, a reference to a table", value = "luajit.tables", c = "plain.c" },
    } }
end

-- Returns the case that measures a small game twice: with the default options, and with --native off. `systems`: pairs
-- of a system's name and a description of what it does.
local function game_case(title, count, ticks, systems)
  local rows = {}
  for _, item in ipairs(systems) do
    local system, what = item[1], item[2]
    rows[#rows + 1] = { what = what .. ": plain C", value = "plain." .. system }
    rows[#rows + 1] = { what = "  Shoal", value = "shoal." .. system, c = "plain." .. system }
    rows[#rows + 1] = { what = "  in LuaJIT", value = "lua." .. system, c = "plain." .. system }
  end
  return { title = title, count = count, ticks = ticks, plain_ticks = ticks, rows = rows,
    also = { prefix = "lua.", options = "--native off" } }
end

-- Notifications about entities: the name of the system or observer, and the name of the system that causes them.
local NOTIFICATIONS = { { "enter", "spawn" }, { "leave", "kill" }, { "changed", "write" } }

local function observers_derived()
  local derived = {}
  for _, pair in ipairs(NOTIFICATIONS) do
    local word, cause = pair[1], pair[2]
    derived[word .. "_lua_all"] = function(v)
      return v["shoal." .. cause .. "_lua"] + v["shoal." .. word .. "_lua"]
    end
    derived[word .. "_c_all"] = function(v) return v["shoal." .. cause .. "_c"] + v["shoal.observers." .. word] end
  end
  return derived
end

local function observers_rows()
  local rows = {}
  local function row(what, value, c, of, reach)
    table.insert(rows, { what = what, value = value, c = c, of = of, reach = reach })
  end
  for _, pair in ipairs(NOTIFICATIONS) do
    local word, cause = pair[1], pair[2]
    local caused, called = "shoal." .. cause, "shoal.observers." .. word
    row(word .. ": observer, with its cause", word .. "_c_all")
    row(word .. ": system, with its cause", word .. "_lua_all", word .. "_c_all", "the observer", 1.5)
    row("  " .. cause .. " alone, for the observer", caused .. "_c")
    row("  " .. cause .. " alone, for the system", caused .. "_lua", caused .. "_c", "the observer's")
    row("  the observer alone", called)
    row("  the system alone", "shoal." .. word .. "_lua", called, "the observer")
  end
  row("leave that reads a last value", "shoal.leave_read")
  return rows
end

local FIRST = "SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy LD_PRELOAD='$FOLDER/first_frame.so'"

-- Returns the commands that compare shoal::each with rows and with columns, and shoal::each_independent, with a loop
-- over restrict pointers, compiled with the same flags. With rows, a value that was just stored is loaded again,
-- because the columns may overlap.
local function each_commands()
  local commands = {}
  for _, level in ipairs { "2", "3" } do
    table.insert(commands, { prefix = "each.", line = ("'$FOLDER/each%s' o%s $COUNT 3000"):format(level, level) })
  end
  return commands
end

local function each_rows()
  local rows = {}
  for _, level in ipairs { "2", "3" } do
    for _, loop in ipairs { "move", "cool", "push" } do
      local pointers = ("each.pointers_%s_o%s"):format(loop, level)
      table.insert(rows, { what = ("%s, -O%s: pointers"):format(loop, level), value = pointers })
      for _, form in ipairs { "rows", "independent", "columns" } do
        table.insert(rows, { what = ("%s, -O%s: %s"):format(loop, level, form),
          value = ("each.%s_%s_o%s"):format(form, loop, level), c = pointers, of = "pointers", reach = 1.6 })
      end
    end
  end
  return rows
end

return {
  {
    name = "move", game = "move", flat = function(m, case)
      return { unit = "ns per entity, tick", entities = case.count, ticks = case.ticks, shoal = m["shoal.movement"],
        plain_c_warm = m["plain.c"], ratio_warm = m["shoal.movement"] / m["plain.c"],
        allocations_per_tick = m["shoal.allocations"], lua_bytes_per_tick = m["shoal.lua_bytes"] }
    end,
    last = true, systems = { movement = {} }, checks = { x = true, y = true },
    cases = { { title = "move: x += vx dt, y += vy dt with the built-in transform, 100k entities", count = 100000,
      ticks = 1000, plain_ticks = 1000, rows = move_rows() } },
  },
  {
    name = "iterate", last = true, checks = { x = true, y = true }, tables = true, arrays = true,
    systems = { move_single = {}, move_update = {}, move_each = { every = 10 } },
    cases = {
      { key = "iterate_1m", title = "iterate: x += vx dt, y += vy dt, 1M entities", count = 1000000, ticks = 150,
        plain_ticks = moves(150), table_ticks = 10, options = "--native now", rows = iterate_rows(1.3, 1.5, 1.7) },
      { key = "iterate_10k", title = "iterate: the same, 10k entities", count = 10000, ticks = 5000,
        plain_ticks = moves(5000),
        table_ticks = 1000, rows = iterate_rows(1.8, nil, 25) },
      fresh_case("move_each", { key = "iterate_fresh", title = "iterate: each in 50 fresh processes, 10k",
        count = 10000, ticks = 600 }),
    },
  },
  {
    name = "rows_single", game = "../../build/bench/rows_single", last = true,
    checks = named(ROWS, true), systems = named(ROWS, {}),
    cases = { { title = "rows_single: the systems of rows in single precision, 10k entities", count = 10000,
      ticks = 1000, plain_ticks = 1000, rows = plain_rows(ROWS_SINGLE, true) } },
  },
  {
    name = "rows", last = true, checks = named(ROWS, true), systems = named(ROWS, {}), arrays = true,
    cases = {
      { key = "rows_10k", title = "rows: twelve systems, one of them single, 10k entities", count = 10000, ticks = 1000,
        plain_ticks = 1000, rows = plain_rows(ROWS_10K) },
      { key = "rows_1m", title = "rows: the same, 1M entities", count = 1000000, ticks = 100, plain_ticks = 100,
        -- Measures only compiled code: without `now`, compiling twelve systems would take about as long as the run.
        options = "--native now",
        rows = plain_rows(ROWS_1M) },
    },
  },
  {
    name = "overlap", last = true, checks = { x = true, y = true, hp = true },
    systems = { two_single = {}, two_update = {}, three_single = {}, three_update = {} },
    cases = { { title = "overlap: two components beside a query for these and one more, 1M entities of 26 kinds",
      count = 1000000, ticks = 60, plain_ticks = 120, options = "--native now --workers 1", rows = {
        { what = "two: plain C", value = "plain.two" },
        { what = "two: single precision", value = "shoal.two_single", c = "plain.two", reach = 1.6 },
        { what = "two: update", value = "shoal.two_update", c = "plain.two" },
        { what = "three: plain C", value = "plain.three" },
        { what = "three: single precision", value = "shoal.three_single", c = "plain.three" },
        { what = "three: update", value = "shoal.three_update", c = "plain.three" },
      } } },
  },
  {
    name = "fragments", last = true, checks = { z = true }, systems = { single = {}, update = {} },
    cases = { { title = "fragments: a column of 26 kinds of 100 entities", count = 2600, ticks = 20000,
      plain_ticks = 40000, options = "--workers 1", rows = {
        { what = "plain C", value = "plain.c" },
        { what = "single precision", value = "shoal.single", c = "plain.c", reach = 4 },
        { what = "update", value = "shoal.update", c = "plain.c" },
      } } },
  },
  {
    name = "workers", plain = "iterate", last = true, checks = { x = true, y = true }, systems = { move_single = {} },
    derived = { faster = function(v) return v["shoal.move_single"] / v["two.move_single"] end },
    cases = { { title = "workers: the loop of iterate on two cores, 1M entities", count = 1000000, ticks = 600,
      plain_ticks = 600, options = "--workers 1", also = { prefix = "two.", options = "--workers 2", unpinned = true },
      rows = {
        { what = "plain C", value = "plain.c" },
        { what = "one worker", value = "shoal.move_single", c = "plain.c" },
        { what = "two workers", value = "two.move_single", c = "plain.c" },
        { what = "two against one", value = "faster", unit = "times", reach = 1.7, at_least = true },
      } } },
  },
  {
    name = "sparks", last = true, checks = { count = true, x = true, y = true, in_order = true },
    systems = { fly = {}, light = {} }, tables = true,
    derived = { faster = function(v) return v["shoal.fly"] / v["two.fly"] end },
    cases = {
      sparks_case("10k", 10000, 1000, 15),
      sparks_case("100k", 100000, 200),
    },
  },
  {
    name = "one_core", plain = "iterate", last = true, checks = { x = true, y = true },
    systems = { move = {}, table = {}, text = {}, random = {}, emit = {} },
    cases = { { title = "one_core: loops that are not shared among cores, 100k entities", count = 100000, ticks = 200,
      plain_ticks = 200, rows = {
        { what = "plain C, a movement", value = "plain.c" },
        { what = "the movement", value = "shoal.move", c = "plain.c" },
        { what = "each row iterates a table of four", value = "shoal.table", c = "plain.c" },
        { what = "each row builds a string", value = "shoal.text", c = "plain.c" },
        { what = "each row calls world.random", value = "shoal.random", c = "plain.c" },
        { what = "each row emits an event", value = "shoal.emit", c = "plain.c" },
      } } },
  },
  {
    name = "plugin", plain = "iterate", last = true, checks = { x = true, y = true },
    systems = { ["motion.move"] = {} },
    derived = {
      slower = function(v) return v["watched.motion.move"] and v["watched.motion.move"] / v["shoal.motion.move"] end,
    },
    cases = { { title = "plugin: the same loop as a plugin's system, 1M entities", count = 1000000, ticks = 600,
      plain_ticks = 600,
      options = "--workers 1 --plugin '$FOLDER/motion.so'",
      also = { prefix = "two.", options = "--workers 2 --plugin '$FOLDER/motion.so'", unpinned = true },
      rows = {
        { what = "plain C", value = "plain.c" },
        { what = "one worker", value = "shoal.motion.move", c = "plain.c", reach = 1.05 },
        { what = "two workers", value = "two.motion.move", c = "plain.c", reach = 1.05 },
      } }, { title = "plugin: the same while files are watched, 100k entities", count = 100000, ticks = 3000,
      plain_ticks = 3000,
      options = "--workers 1 --plugin '$FOLDER/motion.so'",
      also = { prefix = "watched.", options = "--workers 1 --watch --plugin '$FOLDER/motion.so'" },
      rows = {
        { what = "plain C", value = "plain.c" },
        { what = "headless", value = "shoal.motion.move", c = "plain.c" },
        { what = "watched", value = "watched.motion.move", c = "plain.c" },
        { what = "watched against headless", value = "slower", unit = "times", reach = 1.1 },
      } } },
  },
  {
    name = "concurrent_plugin", last = true, checks = { left = true, right = true },
    systems = { ["pair.left"] = {}, ["pair.right"] = {} },
    derived = {
      one = function(v) return v["shoal.pair.left"] + v["shoal.pair.right"] end,
      faster = function(v)
        return (v["shoal.pair.left"] + v["shoal.pair.right"]) / v["two.pair.left, pair.right"]
      end,
    },
    cases = { { title = "concurrent_plugin: two plugin systems without shared columns, 200k entities", count = 200000,
      ticks = 600, plain_ticks = 600,
      options = "--workers 1 --plugin '$FOLDER/pair.so'",
      also = { prefix = "two.", options = "--workers 2 --plugin '$FOLDER/pair.so'", unpinned = true },
      rows = {
        { what = "plain C, both", value = "plain.c" },
        { what = "one worker, one after the other", value = "one", c = "plain.c", reach = 1.05 },
        { what = "two workers, at the same time", value = "two.pair.left, pair.right", c = "plain.c" },
        { what = "two against one", value = "faster", unit = "times", reach = 1.7, at_least = true },
      } } },
  },
  {
    name = "concurrent_lua", last = true, checks = { left = true, right = true }, systems = { left = {}, right = {} },
    derived = {
      one = function(v) return sum(v, { "left", "right" }) end,
      two = function(v) return v["two.left, right"] end,
      gain = function(v)
        local two = v["two.left, right"]
        return two and sum(v, { "left", "right" }) / two / (v["plain.c"] / v["plain.two"])
      end,
    },
    cases = { { title = "concurrent_lua: two update systems without shared data, too small to be split, 40k",
      count = 40000, ticks = 2000, plain_ticks = 2000, plain_unpinned = true, options = "--native now --workers 1",
      also = { prefix = "two.", options = "--native now --workers 2", unpinned = true },
      rows = {
        { what = "plain C, one thread", value = "plain.c" },
        { what = "plain C, two threads", value = "plain.two", c = "plain.c" },
        { what = "one worker", value = "one", c = "plain.c" },
        { what = "two workers, side by side", value = "two", c = "plain.c" },
        { what = "  its gain against that of two threads", value = "gain", unit = "times", reach = 0.9,
          at_least = true },
      } } },
  },
  {
    name = "exact", last = true, checks = named(EXACT, true), systems = named(EXACT, {}),
    cases = { { title = "exact: elementary functions, the same on every processor, 10k", count = 10000, ticks = 200,
      plain_ticks = 200, options = "--native now", rows = exact_rows() } },
  },
  {
    name = "frame7", checks = { position = true, hp = true, numgy = true, grid = true }, tables = true, arrays = true,
    objects = "frame7_objects",
    systems = { movement = {}, data = {}, data_stream = {}, complex = {}, health = {}, damage = {}, sprite = {},
      render = {} },
    derived = { frame = function(v) return sum(v, FRAME7) end },
    cases = { { title = "frame7: a game frame of seven systems, 65,536 entities", count = 65536, ticks = 300,
      plain_ticks = 300,
      table_ticks = 30, rows = frame7_rows(1.5) } },
  },
  {
    -- tests/bench/run creates this game: it copies frame7 and replaces five systems with the plainly written versions
    -- in frame7_plain/systems, without `precision`
    name = "frame7_plain", game = "../../build/bench/frame7_plain", plain = "frame7",
    checks = { position = true, hp = true, numgy = true, grid = true },
    systems = { movement = {}, data = {}, data_stream = {}, complex = {}, health = {}, damage = {}, sprite = {},
      render = {} },
    derived = { frame = function(v) return sum(v, FRAME7) end, frame_two = function(v) return frame_of(v, "two.") end },
    cases = {
      frame7_plain_case("frame7_plain: the same frame, all of it in plain update and each, 65,536", 65536, 300),
      frame7_plain_case("frame7_plain: the same, 1M entities", 1000000, 40),
    },
  },
  {
    name = "create", last = true, checks = { left = 0 }, tables = true,
    systems = { a_create = {}, b_destroy = {}, c_create_no_overrides = { every = 5, operations = 0.1 },
      d_create_one_override = { every = 5, operations = 0.1 }, e_destroy_one_override = { every = 5, operations = 0.1 },
      f_create_four_overrides = { every = 5, operations = 0.1 } },
    derived = {
      against_table = function(v)
        return v["luajit.create"] and v["shoal.d_create_one_override"] / v["luajit.create"]
      end,
    },
    cases = { { title = "create: entities with 2 components come and go, 1M", count = 1000000, ticks = 21,
      plain_ticks = 11,
      table_ticks = 3, rows = {
        { what = "create: plain C", value = "plain.create" },
        { what = "world.spawn_many", value = "shoal.a_create", c = "plain.create", reach = 4 },
        { what = "world.spawn, one by one, no overrides", value = "shoal.c_create_no_overrides", c = "plain.create" },
        { what = "world.spawn, one by one, 1 override", value = "shoal.d_create_one_override", c = "plain.create",
          reach = 60 },
        { what = "world.spawn, one by one, 4 overrides", value = "shoal.f_create_four_overrides", c = "plain.create",
          reach = 150 },
        { what = "LuaJIT, a table per entity", value = "luajit.create", c = "plain.create" },
        { what = "  one override against that table", value = "against_table", unit = "x", reach = 0.5 },
        { what = "LÖVE, a table per entity", value = "love.create", c = "plain.create" },
        { what = "destroy: plain C", value = "plain.destroy" },
        { what = "q:destroy_all", value = "shoal.b_destroy", c = "plain.destroy", reach = 2.5 },
        { what = "e:destroy, one by one", value = "shoal.e_destroy_one_override", c = "plain.destroy" },
      } } },
  },
  {
    name = "component", last = true, checks = { left = 0 },
    systems = { a_add = {}, b_remove = {}, c_add_one = { every = 5, operations = 0.1 },
      d_remove_one = { every = 5, operations = 0.1 } },
    cases = { { title = "component: add and remove a component of 8 bytes, 1M entities", count = 1000000, ticks = 11,
      plain_ticks = 11, rows = {
        { what = "add: plain C", value = "plain.add" },
        { what = "q:add", value = "shoal.a_add", c = "plain.add", reach = 2.5 },
        { what = "e:add, one by one", value = "shoal.c_add_one", c = "plain.add", reach = 20 },
        { what = "remove: plain C", value = "plain.remove" },
        { what = "q:remove", value = "shoal.b_remove", c = "plain.remove", reach = 1.9 },
        { what = "e:remove, one by one", value = "shoal.d_remove_one", c = "plain.remove", reach = 20 },
      } } },
  },
  {
    name = "read", last = true, checks = { sum = true }, tables = true, systems = { a_lookup = {}, b_handle = {} },
    cases = {
      read_case("read_1m", "read: a field of random live entities, 1M", 1000000, 100),
      read_case("read_10k", "read: the same, 10k", 10000, 1000),
    },
  },
  {
    name = "touch", last = true, checks = { first = true, again = true },
    systems = { b_first = {}, c_again = {} },
    cases = { { title = "touch: a field of entities that are new in this tick, 10k", count = 10000, ticks = 1000,
      plain_ticks = 1000, options = "--workers 1", rows = {
        { what = "plain C, ids with generations", value = "plain.c" },
        { what = "e.health.hp, the first one of each", value = "shoal.b_first", c = "plain.c" },
        { what = "the same once more", value = "shoal.c_again", c = "plain.c" },
      } } },
  },
  {
    name = "assemblage", last = true, checks = { x = true, count = 100000 }, systems = { a_spawn = {}, b_clear = {} },
    cases = { { title = "assemblage: spawn 8 components, 88 bytes, 2 overridden fields, 100k", count = 100000,
      ticks = 50,
      plain_ticks = 50, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "world.spawn_many with a filling function", value = "shoal.a_spawn", c = "plain.c", reach = 3 },
        { what = "  q:destroy_all of them", value = "shoal.b_clear" },
      } } },
  },
  {
    name = "commands", last = true, checks = { extra = 0, other = 100000 }, systems = { swap = { operations = 2 } },
    cases = { { title = "commands: queue and apply an add and a remove for each of 100k entities", count = 100000,
      ticks = 40,
      plain_ticks = 40, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "e:add and e:remove in a system", value = "shoal.swap", c = "plain.c", reach = 3 },
      } } },
  },
  {
    name = "events", last = true, checks = { depth = true, a = true, b = true }, tables = true,
    systems = { a_emit = {}, b_emit_one = { operations = 0.1 }, read_a = {}, read_b = {}, read_depth = {} },
    derived = {
      read = function(v) return sum(v, { "read_a", "read_b", "read_depth" }) end,
      events = function(v) return sum(v, { "a_emit", "read_a", "read_b", "read_depth" }) end,
    },
    cases = { { title = "events: 1M to 3 subscribers, in batches", count = 1000000, ticks = 15, plain_ticks = 20,
      table_ticks = 5, rows = {
        { what = "plain C, emitted and read", value = "plain.c" },
        { what = "world.emit_many, and read", value = "events", c = "plain.c", reach = 4 },
        { what = "  emitted", value = "shoal.a_emit", c = "plain.emit" },
        { what = "  read by 3 systems", value = "read", c = "plain.read" },
        { what = "world.emit, one by one", value = "shoal.b_emit_one", c = "plain.emit", reach = 20 },
        { what = "LuaJIT, a function per subscriber", value = "luajit.tables", c = "plain.c" },
        { what = "LÖVE, a function per subscriber", value = "love.tables", c = "plain.c" },
      } } },
  },
  {
    name = "relation", last = true, checks = { sources = true, weight = true }, flecs = true,
    systems = { a_add = {}, b_referrers = {}, c_pairs = { operations = 0.2 }, c_pairs_again = { operations = 0.2 },
      d_remove = {}, e_uncounted = {}, f_counted = {}, g_rows = {}, h_add = {}, i_referrers = {},
      j_pairs = { operations = 0.2 }, k_remove = {} },
    cases = { { title = "relation: 1M pairs with 1,000 targets", count = 1000000, ticks = 8, plain_ticks = 10, rows = {
      { what = "plain C, lists through arrays: added", value = "plain.add" },
      { what = "e:add(\"likes\", target), one for an entity", value = "shoal.a_add", c = "plain.add" },
      { what = "  of several", value = "shoal.h_add", c = "plain.add" },
      { what = "  flecs, one for an entity", value = "flecs.add", c = "plain.add" },
      { what = "  flecs, of several", value = "flecs.add_many", c = "plain.add" },
      { what = "world.who_targets, as a list", value = "shoal.b_referrers", c = "plain.ask" },
      { what = "  of several", value = "shoal.i_referrers", c = "plain.ask" },
      { what = "  flecs, tables counted", value = "flecs.ask", c = "plain.ask" },
      { what = "world.query { likes = target }, a loop", value = "shoal.c_pairs", c = "plain.pairs" },
      { what = "  again, with unchanged pairs", value = "shoal.c_pairs_again", c = "plain.pairs" },
      { what = "  of several", value = "shoal.j_pairs", c = "plain.pairs" },
      { what = "  flecs", value = "flecs.pairs", c = "plain.pairs" },
      { what = "  all rows, without pairs", value = "shoal.g_rows", c = "plain.rows" },
      { what = "e:remove(\"likes\")", value = "shoal.d_remove", c = "plain.remove" },
      { what = "  of several", value = "shoal.k_remove", c = "plain.remove" },
      { what = "  flecs, one for an entity", value = "flecs.remove", c = "plain.remove" },
      { what = "  flecs, of several", value = "flecs.remove_many", c = "plain.remove" },
      { what = "a column written, nobody asks", value = "shoal.e_uncounted", c = "plain.write" },
      { what = "one value in 16 written, and world.changes", value = "shoal.f_counted", c = "plain.write" },
    } } },
  },
  {
    name = "observers", plain = false, last = true,
    checks = { entered = 2000000, left = 2000000, changed = 2990000, sum = 20001000000 },
    systems = { spawn_lua = { every = 3, operations = 2 }, spawn_c = { every = 3, operations = 2 },
      kill_lua = { every = 3 }, kill_c = { every = 3 }, write_lua = {}, write_c = {},
      enter_lua = { every = 3, operations = 2 }, leave_lua = { every = 3 }, leave_read = { every = 3 },
      changed_lua = {}, ["observers.enter"] = { every = 3, operations = 2 }, ["observers.leave"] = { every = 3 },
      ["observers.changed"] = {} },
    derived = observers_derived(),
    cases = { { title = "observers: enter, leave and changed of 10k entities, against observers of a plugin",
      count = 10000, ticks = 300, options = "--workers 1 --plugin '$FOLDER/observers.so'", rows = observers_rows() } },
  },
  {
    name = "change_counters",
    cases = { { title = "change_counters: a tick in C of 100,000 entities, in worlds with and without counters",
      count = 100000,
      commands = { { prefix = "counters.", line = "'$FOLDER/change_counters' change_counters $COUNT 300" } }, rows = {
        { what = "a world without counters and observers", value = "counters.without" },
        { what = "counters, none in use", value = "counters.unused", c = "counters.without", of = "without" },
        { what = "a counter read in each tick", value = "counters.read", c = "counters.without", of = "without" },
        { what = "an observer of all changes", value = "counters.observed", c = "counters.without", of = "without" },
      } } },
  },
  {
    name = "entity", cases = { entity_case(100000, 5), entity_case(1000000, 3) },
  },
  {
    name = "state", cases = { state_case() },
  },
  {
    name = "history", cases = { history_case { "asteroids", "bounty_hunter" } },
  },
  {
    name = "each",
    cases = { { title = "each: loops of shoal::each in C++, against loops over pointers, 10,000 rows", count = 10000,
      commands = each_commands(), rows = each_rows() } },
  },
  {
    name = "collision", last = true, checks = { contacts = true }, systems = { ["shoal.collision"] = {} },
    cases = { { title = "collision: 32,000 bullets that 200 ships can meet", count = 32000, ticks = 300,
      plain_ticks = 300, rows = {
        { what = "plain C, a grid of bullets", value = "plain.c" },
        { what = "body", value = "shoal.shoal.collision", c = "plain.c", reach = 1.3 },
      } } },
  },
  {
    name = "near", last = true, checks = { units = true }, systems = { look = {} },
    cases = { { title = "near: 5,000 moving units that list the units around them", count = 5000, ticks = 100,
      rows = {
        { what = "plain C, a grid of units", value = "plain.c" },
        { what = "world.near", value = "shoal.look", c = "plain.c" },
      } } },
  },
  {
    name = "movers", last = true, checks = { place = true, standing = true, turns = true },
    systems = { creep = {}, ["shoal.mover"] = {}, ["shoal.mover_capture"] = {} }, tables = true,
    derived = { ["shoal.movers"] = function(v) return sum(v, { "creep", "shoal.mover", "shoal.mover_capture" }) end },
    cases = { { title = "movers: 500 creatures walk and jump on a map of tiles, per creature", count = 500, ticks = 300,
      table_ticks = 300, plain_ticks = 300, rows = {
        { what = "plain C, a grid of walls", value = "plain.c" },
        { what = "mover, body and the steering system", value = "shoal.movers", c = "plain.c" },
        { what = "  mover, moving", value = "shoal.shoal.mover", c = "plain.slide" },
        { what = "  mover, recording where bodies are", value = "shoal.shoal.mover_capture" },
        { what = "  each: steering, tiles:solid", value = "shoal.creep", c = "plain.steer" },
        { what = "LuaJIT, a table per entity", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "ai", last = true, checks = { place = true, needs = true, mode = true }, systems = { think = {} },
    tables = true,
    cases = { in_both_forms { title = "ai: animals that choose among five modes (enum), 10k", count = 10000,
      ticks = 100, table_ticks = 100, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "each, native", value = "shoal.think", c = "plain.c" },
        { what = "each, in LuaJIT", value = "lua.think", c = "plain.c" },
        { what = "LuaJIT, a table per entity", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "paths", last = true, checks = { distance = true },
    systems = { a_clear = {}, b_sweep = {}, c_sweep_in_if = {} }, tables = true,
    cases = { in_both_forms { title = "paths: a sweep over a grid of costs, 65,536 cells", count = 65536, ticks = 100,
      table_ticks = 100, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "update, native", value = "shoal.b_sweep", c = "plain.c" },
        { what = "  the range in an if", value = "shoal.c_sweep_in_if", c = "plain.c" },
        { what = "update, in LuaJIT", value = "lua.b_sweep", c = "plain.c" },
        { what = "  the range in an if", value = "lua.c_sweep_in_if", c = "plain.c" },
        { what = "LuaJIT, a table per cell", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "nbody", last = true, checks = { double = true, single = true }, systems = { pull = {}, pull_single = {} },
    tables = true,
    cases = { { title = "nbody: 1,000 stars attract each other, per star", count = 1000, ticks = 100,
      table_ticks = 100, plain_ticks = 100, options = "--native now", rows = {
        { what = "double: plain C", value = "plain.double" },
        { what = "update", value = "shoal.pull", c = "plain.double" },
        { what = "LuaJIT, a table per star", value = "luajit.tables", c = "plain.double" },
        { what = "single: plain C", value = "plain.single" },
        { what = "single precision", value = "shoal.pull_single", c = "plain.single" },
      } } },
  },
  {
    name = "towers", last = true, checks = { gold = true, shots = true, place = true, hp = true },
    systems = { walk = {}, shoot = {} },
    cases = { game_case("towers: 1,000 towers shoot at the nearest of 3,000 creeps, per tower", 1000, 500, {
      { "walk", "each: three creeps walk" }, { "shoot", "each: world.nearest every sixth tick" } }) },
  },
  {
    name = "farm", last = true,
    checks = { gold = true, moisture = true, progress = true, harvests = true, dry = true },
    systems = { dry = {}, grow = {}, tend = {} },
    cases = { game_case("farm: crops grow and are watered, 20k", 20000, 500, {
      { "dry", "each: a singleton and a table by enum" }, { "grow", "each: tables by enum, branches" },
      { "tend", "a loop over world.query in a handler" } }) },
  },
  {
    name = "crafting", last = true, checks = { made = true, stacks = true, items = true, failures = true },
    systems = { gather = { operations = 0.1 }, make = {}, sell = {} },
    cases = { game_case("crafting: inventories of entities that refer to their owner, 2k", 2000, 500, {
      { "gather", "world.who_targets, and a change to a stack" }, { "make", "each: recipes, every tenth row at work" },
      { "sell", "each: three stacks" } }) },
  },
  {
    name = "lists", last = true, checks = { made = true, failures = true, items = true },
    systems = { gather = {}, make = {}, sell = {} }, tables = true,
    derived = { total = function(v) return sum(v, { "gather", "make", "sell" }) end,
      lua_total = function(v) return v["lua.gather"] + v["lua.make"] + v["lua.sell"] end },
    cases = { in_both_forms { title = "lists: 2,000 crafters with an inventory in a list", count = 2000, ticks = 500,
      table_ticks = 500, plain_ticks = 500, rows = {
        { what = "plain C, an array per crafter", value = "plain.c" },
        { what = "three systems, native", value = "total", c = "plain.c", reach = 8 },
        { what = "  against LuaJIT tables", value = "total", c = "luajit.tables", of = "tables", reach = 1 },
        { what = "  gather", value = "shoal.gather" }, { what = "  make", value = "shoal.make" },
        { what = "  sell", value = "shoal.sell" },
        { what = "three systems, in LuaJIT", value = "lua_total", c = "plain.c" },
        { what = "new bytes in Lua", value = "shoal.lua_bytes", unit = "/tick" },
        { what = "LuaJIT, a table per crafter", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "cards", last = true, checks = { wins = true, holders = true, said = true }, systems = { deal = {} },
    tables = true,
    cases = { { title = "cards: 52 cards are shuffled, sorted by hands and described, per card", count = 52,
      ticks = 2000, table_ticks = 2000, plain_ticks = 2000, rows = {
        { what = "plain C, an array of numbers", value = "plain.c" },
        { what = "update with entities", value = "shoal.deal", c = "plain.c" },
        { what = "  against LuaJIT tables", value = "shoal.deal", c = "luajit.tables", of = "tables", reach = 1.2 },
        { what = "new bytes in Lua", value = "shoal.lua_bytes", unit = "/tick" },
        { what = "LuaJIT, a table per card", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "quests", last = true,
    checks = { gold = true, times = true, done = true, captions = true, title = true },
    systems = { progress = { operations = 16 }, reward = {} },
    cases = { game_case("quests: 16 events are compared with 2,000 quests", 2000, 500, {
      { "progress", "a loop in a handler compares enums and strings" },
      { "reward", "string.format, every 25th quest" } }) },
  },
  {
    name = "labels", last = true, checks = { texts = true, places = 1682518 }, tables = true,
    systems = { write = {}, ["shoal.layout"] = {}, ["shoal.widgets"] = {} },
    cases = { in_both_forms { title = "labels: 300 labels with a new text in each tick, per label", count = 300,
      ticks = 300, table_ticks = 300, plain_ticks = 300, rows = {
        { what = "the texts: plain C", value = "plain.write" },
        { what = "  Shoal", value = "shoal.write", c = "plain.write" },
        { what = "  LuaJIT, a table per label", value = "luajit.write", c = "plain.write" },
        { what = "the layout", value = "shoal.shoal.layout", reach = 250 },
        { what = "the input of widgets", value = "shoal.shoal.widgets" },
      } } },
  },
  {
    name = "label_board", game = "labels", last = true, checks = { texts = true, places = 893443170 },
    systems = { write_one = {}, ["shoal.layout"] = {}, ["shoal.widgets"] = {} },
    cases = { { title = "label_board: one of 10,000 labels gets a new text in each tick, per label", count = 10000,
      ticks = 300, plain_ticks = 300, exec = "world.single.bench.one = true", rows = {
        { what = "the text: plain C", value = "plain.write_one" },
        { what = "  Shoal", value = "shoal.write_one", c = "plain.write_one" },
        { what = "the layout", value = "shoal.shoal.layout", reach = 10 },
        { what = "the input of widgets", value = "shoal.shoal.widgets" },
      } } },
  },
  {
    name = "villagers", last = true, checks = { place = true, tired = true, hunger = true, walking = true },
    systems = { decide = {}, live = {} },
    cases = { game_case("villagers: schedules of 2,000 villagers", 2000, 500, {
      { "decide", "each: ipairs over a list of a table by enum" }, { "live", "each: walk to a building" } }) },
  },
  {
    name = "small_systems", cases = { small_systems_case(50), small_systems_case(1000, 1) },
  },
  {
    name = "wildfire", last = true, checks = { fuel = true, heat = true, age = true },
    systems = { heat = {}, spread = {} },
    cases = { game_case("wildfire: fire spreads in a grid of 16,384 cells", 16384, 300, {
      { "heat", "update: the states of four neighbours" }, { "spread", "each: world.random" } }) },
  },
  {
    name = "agents", last = true, checks = { hunger = true, energy = true, food = true },
    systems = { a_idle = {}, b_walk = {}, c_eat = {}, d_sleep = {} }, tables = true,
    derived = { total = function(v) return sum(v, { "a_idle", "b_walk", "c_eat", "d_sleep" }) end },
    cases = { { title = "agents: 2,000 agents with four states", count = 2000, ticks = 3000, table_ticks = 3000,
      plain_ticks = 3000, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "a system for each state, e:enter", value = "total", c = "plain.c" },
        { what = "  against LuaJIT tables", value = "total", c = "luajit.tables", of = "tables", reach = 0.8 },
        { what = "LuaJIT, a table per agent", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "flood", last = true, checks = { distances = true }, systems = { fill = {} }, tables = true,
    cases = { { title = "flood: distances in a grid of 16,384 cells, a loop over the rows and a search",
      count = 16384, ticks = 300, table_ticks = 300, plain_ticks = 300, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "update with a queue", value = "shoal.fill", c = "plain.c" },
        { what = "  against LuaJIT tables", value = "shoal.fill", c = "luajit.tables", of = "tables", reach = 0.8 },
        { what = "LuaJIT, arrays", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "errors", last = true, checks = { count = true }, systems = { call = {} }, tables = true,
    cases = { { title = "errors: 10,000 calls, every tenth raises an error that pcall catches", count = 10000,
      ticks = 200, table_ticks = 200, plain_ticks = 200, rows = {
        { what = "plain C, an error code", value = "plain.c" },
        { what = "pcall", value = "shoal.call", c = "plain.c" },
        { what = "  against LuaJIT", value = "shoal.call", c = "luajit.tables", of = "LuaJIT" },
        { what = "pcall in LuaJIT", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "optional", last = true, checks = { x = true, hp = true, left = true }, systems = { burn = {} },
    tables = true,
    cases = { in_both_forms { title = "optional: columns of optional components, 10% and 1% of 100k things",
      count = 100000, ticks = 200, table_ticks = 200, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "update, native", value = "shoal.burn", c = "plain.c" },
        { what = "update, in LuaJIT", value = "lua.burn", c = "plain.c" },
        { what = "LuaJIT, a table per thing", value = "luajit.tables", c = "plain.c" },
      } } },
  },
  {
    name = "hits", last = true, checks = { hp = true }, systems = { attack = {}, defend = {} }, tables = true,
    cases = { in_both_forms { title = "hits: every tenth of 100k units emits an event, which hits another",
      count = 100000, ticks = 200, table_ticks = 200, rows = {
        { what = "emitted: plain C", value = "plain.attack" },
        { what = "world.emit, native", value = "shoal.attack", c = "plain.attack" },
        { what = "world.emit, in LuaJIT", value = "lua.attack", c = "plain.attack" },
        { what = "LuaJIT, a table per event", value = "luajit.attack", c = "plain.attack" },
        { what = "applied: plain C", value = "plain.defend" },
        { what = "on hit", value = "shoal.defend", c = "plain.defend" },
        { what = "LuaJIT, a table per event", value = "luajit.defend", c = "plain.defend" },
      } } },
  },
  {
    name = "references", last = true, checks = { speed = true }, systems = { seek = {} }, tables = true,
    cases = { references_case("10k", 10000, 1000), references_case("1M", 1000000, 100) },
  },
  {
    name = "hierarchy", last = true, checks = { x = true, y = true }, systems = { locate = {}, place = {} },
    cases = { in_both_forms { title = "hierarchy: world positions of 10k ships with three parts each", count = 40000,
      ticks = 60, rows = {
        { what = "plain C", value = "plain.c" },
        { what = "transform.world", value = "shoal.locate", c = "plain.c" },
        { what = "world_x and world_y, native", value = "shoal.place", c = "plain.c" },
        { what = "  in LuaJIT", value = "lua.place", c = "plain.c" },
      } } },
  },
  {
    name = "bullets", last = true, systems = { each_motion = {} },
    checks = { alive = true, x = true, y = true, hp = true, fired = true, hits = true, damage = true },
    cases = {
      bullets_case(10000), bullets_case(17500, 0.7, 0.45), bullets_case(32000, nil, 0.45),
      fresh_case("each_motion", { key = "bullets_fresh", title = "bullets: each in 50 fresh processes, 17.5k",
        count = 17500, ticks = 100, options = "--workers 1" }),
    },
  },
  {
    name = "pictures",
    cases = {
      picture_case("nothing", "an empty frame, software renderer, one core"),
      picture_case("sprites", "20,000 moving sprites of 8 pixels", 0.9, 0.5),
      picture_case("particles", "100,000 particles of one emitter", 0.9),
      picture_case("tiles", "1,000 x 1,000 tiles, scrolled over", 0.9, 0.5),
      picture_case("widgets", "500 buttons", 0.9, 0.5),
      picture_case("letters", "10,000 letters in 100 texts", 0.9, 0.5),
      lights_case(),
    },
  },
  {
    name = "start",
    derived = { picture_to_window = function(v) return v["first.picture"] / v["window.picture"] end },
    cases = { { title = "start: processor time from nothing to the first tick", count = 1, commands = {
      { prefix = "empty.", line = "'$PROGRAM' run '$HERE/start' --headless --no-watch --strict --ticks 1" },
      { prefix = "asteroids.", line = "'$PROGRAM' play asteroids --headless --no-watch --strict --ticks 1" },
      { prefix = "frame.", line = "env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy '$PROGRAM' play asteroids "
        .. "--no-watch --strict --ticks 1" },
      { prefix = "first.", line = "env " .. FIRST .. " '$FOLDER/first'" },
      { prefix = "window.", line = "env " .. FIRST .. " '$FOLDER/first_window'" },
    }, rows = {
      { what = "a game with nothing in it", value = "empty.process", unit = "ms", reach = 30 },
      { what = "Asteroids", value = "asteroids.process", unit = "ms" },
      { what = "Asteroids with a picture, drawn in memory", value = "frame.process", unit = "ms", reach = 150 },
      { what = "Asteroids packaged, to its first picture", value = "first.picture", unit = "ms", reach = 300 },
      { what = "a window with a cleared picture alone", value = "window.picture", unit = "ms" },
      { what = "the one against the other", value = "picture_to_window", unit = "times" },
    } } },
  },
  {
    name = "size", last = true, checks = { things = true }, systems = {}, tables = false,
    cases = { size_case(10000, 200), size_case(100000, 20), size_case(1000000, 3, 3) },
  },
  {
    name = "link",
    cases = { { title = "link: sealed datagrams, and a host with one peer during a flood of 100,000 datagrams/s",
      count = 1, most_runs = 3, commands = { { prefix = "link.", line = "'$FOLDER/link'" } }, rows = {
        { what = "seal, send and open 100 bytes, without sockets", value = "link.seal_small", unit = "ns" },
        { what = "the same for 1,100 bytes", value = "link.seal_large", unit = "ns" },
        { what = "a JOIN with a wrong cookie", value = "link.joins_checked", unit = "ns" },
        { what = "  at 100,000/s from one network", value = "link.joins_dropped", unit = "ns" },
        { what = "messages through two streams", value = "link.stream", unit = "ns/KB" },
        { what = "the host at 60 ticks/s, of a core", value = "link.quiet", unit = "%" },
        { what = "  junk from another address", value = "link.flood", unit = "%", reach = 25 },
        { what = "    datagrams sent", value = "link.flood_sent", unit = "/s" },
        { what = "    the peer's inputs that arrive", value = "link.flood_arrived", unit = "%", reach = 99,
          at_least = true },
        { what = "  forged with the peer's address and session", value = "link.forged", unit = "%", reach = 25 },
        { what = "    the peer's inputs that arrive", value = "link.forged_arrived", unit = "%" },
      } } },
  },
  {
    name = "memory",
    cases = { { title = "memory: 5 components of 8 bytes, against their columns with the owners of the rows", count = 1,
      most_runs = 1, commands = { memory_command(10000), memory_command(100000), memory_command(1000000) },
      derived = { peak = function(v) return (v["m1000000.peak"] - v["m10000.peak"]) * 1024 / 990000 end },
      rows = {
        { what = "10k entities", value = "m10000.memory", unit = "times" },
        { what = "100k", value = "m100000.memory", unit = "times", reach = 1.3 },
        { what = "1M", value = "m1000000.memory", unit = "times", reach = 1.3 },
        { what = "  the peak of the process, for an entity", value = "peak", unit = "bytes", reach = 105 },
      } } },
  },
  {
    name = "reload",
    derived = { larger = function(v) return v["r100000.reload"] / v["r1000.reload"] end },
    cases = { { title = "reload: a saved system, by the clock", count = 1,
      commands = { reload_command(1000), reload_command(10000), reload_command(100000) }, rows = {
        { what = "1k entities", value = "r1000.reload", unit = "ms" },
        { what = "10k", value = "r10000.reload", unit = "ms" },
        { what = "100k", value = "r100000.reload", unit = "ms" },
        { what = "100k against 1k", value = "larger", unit = "times", reach = 3 },
      } } },
  },
  {
    name = "physics", checks = { bodies = 2000 }, systems = { ["physics.step"] = {} },
    derived = {
      steps = function(v, case) return 1e9 / (v["shoal.physics.step"] * case.count) end,
      overhead = function(v) return (v["shoal.physics.step"] / v["plain.c"] - 1) * 100 end,
    },
    cases = { { title = "physics: a heap of 2,000 circles and boxes, one step", count = 2000, ticks = 600, rows = {
      { what = "Chipmunk alone", value = "plain.c" },
      { what = "the physics plugin", value = "shoal.physics.step", c = "plain.c" },
      { what = "  more than Chipmunk alone", value = "overhead", unit = "%", reach = 10 },
      { what = "  steps a second", value = "steps", unit = "/s", reach = 60, at_least = true },
    } } },
  },
}
