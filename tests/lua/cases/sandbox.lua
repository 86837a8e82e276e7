return {
  outside = {
    ["Lua libraries with access to the operating system are missing"] = function(t)
      for _, name in ipairs { "ffi", "io", "os", "debug", "package", "jit", "dofile", "loadfile", "getfenv", "setfenv",
        "newproxy", "module", "gcinfo" } do
        t.equal(rawget(_G, name), nil)
        t.fails(function() return _G[name] end, name)
      end
      t.equal(string.dump, nil)
      t.equal(("").dump, nil)
      t.equal(rawget(table, "clear"), nil) -- empties frozen tables, too
    end,
    ["an undeclared global is an error that names it"] = function(t)
      t.fails(function() return _G.wrold end, "unknown global wrold")
      t.fails(function() _G.score = 3 end, "global score", "local score")
      t.fails(function() rawset(_G, "score", 3) end, "rawset")
      t.fails(load("wrold.spawn('rock')", "=typo"), "wrold")
      t.fails(load("points = 3", "=typo"), "points")
    end,
    ["require does not load ffi or files outside the game"] = function(t)
      for _, name in ipairs { "ffi", "io", "jit", "../secret", "..secret", "/etc/passwd", "lib/../game", "", ".",
        "a..b", 5 } do
        t.fails(function() require(name) end, "require")
      end
      t.equal(require("bit"), bit)
    end,
    ["table.sort compares and exchanges in LuaJIT's order, even with an inconsistent comparison"] = function(t)
      local function sort(kind, seed)
        local values, calls, sum = {}, 0, 0
        for i = 1, 40 do values[i] = (i * 7919 + seed * 31) % 23 end
        local ok, problem = pcall(table.sort, values, function(a, b)
          calls = (calls * 31 + (a or 97) * 7 + (b or 89)) % 65521
          if kind == "random" then return calls % 3 == 0 end
          if kind == "not strict" then return a <= b end
          return a % 5 < b % 5
        end)
        for i = 1, 40 do sum = (sum * 31 + values[i]) % 65521 end
        return ("%s %d %d"):format(ok and "sorted" or problem:match("invalid order function for sorting$"), calls, sum)
      end
      local invalid = "invalid order function for sorting"
      -- The results of LuaJIT's own table.sort.
      t.equal(sort("random", 1), invalid .. " 49893 50605")
      t.equal(sort("random", 2), invalid .. " 26547 44361")
      t.equal(sort("not strict", 1), invalid .. " 30211 34816")
      t.equal(sort("not strict", 4), "sorted 27223 30674")
      t.equal(sort("fifths", 1), "sorted 63443 35423")
      t.equal(sort("fifths", 2), "sorted 14388 29706")
    end,
    ["bytecode cannot be loaded"] = function(t)
      local chunk, problem = load("\27LJ\2\8\4test")
      t.equal(chunk, nil)
      t.is_true(problem:find("mode") ~= nil)
      t.equal((loadstring("\27Lua")), nil)
    end,
    ["code loaded at run time uses the game's globals"] = function(t)
      t.equal(load("return world")(), world)
      t.fails(load("return io"), "io")
      t.equal(load("return x", "=x", "t", { x = 5 })(), 5)
      t.equal(loadstring("return 1 + 1")(), 2)
      local parts, i = { "return ", "7" }, 0
      t.equal(load(function() i = i + 1 return parts[i] end)(), 7)
    end,
    ["loaded code cannot reach the real globals through an invalid environment"] = function(t)
      for _, value in ipairs { true, 1, "x", print, coroutine.create(print), world.spawn() } do
        t.fails(function() load("return os", "=x", "t", value) end, "load: the environment must be a table")
        t.fails(function() loadstring("return os", "=x", "t", value) end, "load: the environment must be a table")
      end
      t.fails(load("return os", "=x", "t", nil), "unknown global os")
    end,
    ["wrapped functions check the types of their arguments"] = function(t)
      local thread, e = coroutine.create(print), world.spawn()
      for _, value in ipairs { true, 5, thread, e, shoal.vec2(1, 2) } do
        t.fails(function() load("return 1", value) end, "load: the chunk name must be a string")
        t.fails(function() load("return 1", "=x", value) end, "load: the mode must be a string")
        t.fails(function() load(function() return value end) end, "load: the function must return strings")
        t.fails(function() load(value) end, "load: expected a string or a function")
        t.fails(function() loadstring(value) end, "load: expected a string or a function")
        t.fails(function() next(value) end, "next")
        t.fails(function() pairs(value) end, "pairs")
        t.fails(function() table.foreach({}, value) end, "table.foreach: expected a function")
        t.fails(function() coroutine.create(value) end, "coroutine.create: expected a function")
        t.fails(function() coroutine.wrap(value) end, "coroutine.wrap: expected a function")
        t.fails(function() xpcall(print, value) end, "xpcall: the handler must be a function")
        t.fails(function() collectgarbage(value) end, "collectgarbage: the option must be a string")
        t.fails(function() setmetatable({}, value) end, "setmetatable: the metatable must be a table")
        t.fails(function() setmetatable(value, {}) end, "setmetatable: expected a table")
        t.fails(function() coroutine.resume(value ~= thread and value) end, "coroutine.resume: expected a coroutine")
      end
      e:destroy()
    end,
    ["pairs and next iterate in a defined order"] = function(t)
      local a, b = world.spawn(), world.spawn()
      local keys = {}
      for key in pairs { z = 1, a = 1, [3] = 1, [1] = 1, [-2] = 1, [true] = 1, [2.5] = 1, [b] = 1, [a] = 1, B = 1 } do
        keys[#keys + 1] = tostring(key)
      end
      t.equal(table.concat(keys, " "), "-2 1 2.5 3 B a z true " .. tostring(a) .. " " .. tostring(b))
      t.equal(next {}, nil)
      t.equal(next { b = 1, a = 2 }, "a")
      t.equal(select(2, next({ b = 1, a = 2 }, "a")), 1)
      t.equal(next({ b = 1, a = 2 }, "b"), nil)
      a:destroy()
      b:destroy()
    end,
    ["pairs allows changes while iterating and rejects keys without an order"] = function(t)
      local list, seen = { a = 1, b = 2, c = 3 }, ""
      for key in pairs(list) do
        seen, list.b = seen .. key, nil
      end
      t.equal(seen, "ac")
      t.fails(function() pairs { [{}] = 1 } end, "pairs")
      t.fails(function() pairs { [print] = 1 } end, "pairs")
      t.fails(function() pairs(5) end, "pairs")
    end,
    ["pairs and next accept engine tables, and pairs rejects columns with a hint"] = function(t)
      local e = world.spawn("rock")
      local q = world.query { "motion" }
      for _, engine_table in ipairs { world, shoal, input, log, audio, assets, draw, world.single, shoal.types, _G } do
        for _ in pairs(engine_table) do end -- luacheck: ignore 542
        next(engine_table)
      end
      for _, rows in ipairs { q, q.motion, world.lookup("motion") } do
        t.fails(function() return pairs(rows) end, "q.count")
      end
      e:destroy()
    end,
    ["printed values contain no addresses"] = function(t)
      local e = world.spawn("tank", { nozzle = { a = {} }, shape = {} })
      local q = world.query { "motion" }
      for _, v in ipairs { {}, print, function() end, coroutine.create(function() end), e.health, e.gun, e.gun.left,
        e.nozzle.a,
        e.nozzle.a.colour, e.shape.colour, q, q.motion, q.motion.vx, q.entity, world, world.single.score,
        world.single.score.best, world.lookup("motion"), world.lookup("motion").vx, shoal.types.f32,
        shoal.types, _G } do
        for _, text in ipairs { tostring(v), string.format("%s", v), ("%s"):format(v) } do
          t.equal(text:match("0x%x%x%x"), nil)
          t.equal(text:match("%x%x%x%x%x%x%x"), nil)
        end
      end
      t.fails(function() return string.format("%p", {}) end, "%p")
      t.fails(function() return ("%5p"):format({}) end, "%p")
      t.equal(("100%% %s"):format("p"), "100% p")
      t.equal(("%5.2f|%-3d|%q|%s"):format(1.5, 2, "a", nil), " 1.50|2  |\"a\"|nil")
      t.equal(tostring(setmetatable({}, { __tostring = function() return "mine" end })), "mine")
      e:destroy()
    end,
    ["math.random and math.randomseed are errors that suggest world.random"] = function(t)
      t.fails(function() return math.random() end, "world.random")
      t.fails(function() math.randomseed(1) end, "world.random")
    end,
    ["metatables of engine values are protected"] = function(t)
      local e = world.spawn("tank")
      local q = world.query { "motion" }
      for _, v in ipairs { "", e, world, shoal, _G, q, q.motion, world.single, world.lookup("motion"), input } do
        t.is_false(getmetatable(v))
      end
      for _, v in ipairs { e.motion, e.gun, e.gun.left, q.motion.vx, q.entity } do
        t.equal(type(getmetatable(v)), "string") -- "ffi", which LuaJIT returns for FFI values
      end
      for _, v in ipairs { world, shoal, _G, q, q.motion, world.single, input } do
        t.fails(function() setmetatable(v, {}) end, "protected")
        t.fails(function() rawset(v, "x", 1) end, "rawset")
      end
      e:destroy()
    end,
    ["internal fields of proxies cannot be accessed"] = function(t)
      local e = world.spawn("tank")
      local q = world.query { "motion" }
      local column = q.motion.vx
      for _, name in ipairs { "data", "rows", "count", "column", "d", "r", "n", "c", "id", "entity", "_d", "ptr",
        "pointer", "self", "__index" } do
        t.fails(function() return column[name] end, "motion.vx")
        t.fails(function() column[name] = 5 end, "motion.vx")
        t.fails(function() return q.entity[name] end, "entity")
        t.fails(function() return e.motion[name] end, "motion")
        t.fails(function() e.motion[name] = 5 end, "motion")
        t.fails(function() return e.gun.left[name] end, "gun")
      end
      for _, key in ipairs { {}, print, true, e, q, column } do
        t.fails(function() return column[key] end, "motion.vx")
        t.fails(function() column[key] = 1 end, "motion.vx")
      end
      e:destroy()
    end,
    ["columns and components cannot be used as pointers"] = function(t)
      local e = world.spawn("tank")
      local column = world.query({ "motion" }).motion.vx
      for _, v in ipairs { column, e.motion, e.gun } do
        t.fails(function() return v + 1 end)
        t.fails(function() return v - v end)
        t.fails(function() return v() end)
        t.fails(function() return #v end)
        t.fails(function() return v < v end)
        t.fails(function() return v .. "" end)
        t.fails(function() return rawget(v, 1) end)
        t.fails(function() return unpack(v) end)
        t.fails(function() return ipairs(v) end)
      end
      t.fails(function() return tonumber(column) + 1 end)
      t.fails(function() column[1] = column end)
      t.fails(function() column[1] = "5" end)
      t.fails(function() column[1] = {} end)
      t.fails(function() column[1] = nil end)
      t.equal(column[1], 3)
      e:destroy()
    end,
    ["entity handles cannot be forged"] = function(t)
      local e = world.spawn("rock")
      t.fails(function() e.x = 5 end, "e.transform.x")
      t.fails(function() return e + 1 end)
      t.fails(function() return e() end)
      t.fails(function() return bit.band(e, 1) end)
      t.equal(tonumber(e), nil)
      t.is_false(world.alive(5))
      t.is_false(world.alive("entity(1:0)"))
      t.is_false(world.alive(nil))
      t.is_false(world.alive {})
      local wrong = world.query({ "motion" }).entity:raw(1) + 0.5
      t.equal(world.lookup("motion").vx[wrong], nil)
      for _, id in ipairs { 0, -1, 2 ^ 22, 2 ^ 31, 2 ^ 32, 2 ^ 53, 1e300, 0 / 0, 1 / 0, -1 / 0 } do
        t.equal(world.lookup("motion").vx[id], nil)
        t.fails(function() world.lookup("motion").vx[id] = 1 end)
      end
      e:destroy()
    end,
    ["engine tables reject new fields and reads of unknown names"] = function(t)
      for name, engine_table in pairs { world = world, shoal = shoal, input = input, log = log, audio = audio,
        draw = draw,
        assets = assets } do
        t.fails(function() engine_table.extra = 5 end, name .. ".extra")
        t.fails(function() return engine_table.nothing end, "nothing")
      end
      t.fails(function() shoal.types.mine = 5 end, "mine") -- luacheck: ignore 122
      t.fails(function() return shoal.types.quaternion end, "quaternion", "quat")
      t.fails(function() world.single.score = 5 end, "score")
      t.fails(function() shoal.none = 5 end) -- luacheck: ignore 122
    end,
    ["library, engine and type tables are shared and read-only"] = function(t)
      for _, name in ipairs { "string", "table", "math", "bit", "coroutine" } do
        local library = _G[name]
        t.fails(function() library.added = 1 end, name .. ".added", "require")
        t.fails(function() library[next(library)] = print end, name)
        t.fails(function() rawset(library, "added", 1) end, "rawset")
        t.fails(function() table.insert(library, 1) end, "table.insert")
        t.fails(function() setmetatable(library, {}) end, "metatable")
        t.equal(library.added, nil)
        t.equal(getmetatable(library), false)
        t.is_true(next(library) ~= nil)
      end
      t.fails(function() ("").upper = nil end, "string")
      t.equal(getmetatable(""), false)
      local types = shoal.types
      for _, made in ipairs { types.f32, types.f32(1), types.many {}, types, shoal.math, shoal, world, log, input } do
        t.equal(getmetatable(made), false)
        t.fails(function() made.type = "i32" end, "assigned")
        t.fails(function() rawset(made, "type", "i32") end, "rawset")
      end
      local list = world.spawn_many("prober", 5000)
      t.equal(getmetatable(list), nil)
      for _, e in ipairs(list) do
        e:destroy()
      end
    end,
    ["pcall and xpcall catch errors of every kind"] = function(t)
      t.equal(select(2, pcall(error)), nil)
      t.equal(type(select(2, pcall(error, {}))), "table")
      local thrown = setmetatable({}, { __index = function() error("again") end })
      t.equal(select(2, pcall(error, thrown)), thrown)
      t.equal(select(2, xpcall(error, function() return "handled" end)), "handled")
      t.fails(coroutine.wrap(function() error("inside a coroutine") end), "inside a coroutine")
      t.fails(function() coroutine.yield() end, "cannot be suspended", "world.after", "e:sequence")
      t.equal(coroutine.wrap(function() coroutine.yield(3) end)(), 3)
      t.fails(coroutine.wrap(function() world.spawn("boulder") end), "boulder")
      t.fails(function() return ("x"):rep(1e9):rep(1e9) end)
    end,
    ["long strings are stored completely"] = function(t)
      local long = ("long "):rep(200000)
      local e = world.spawn(nil, { label = { text = long } })
      t.equal(#e.label.text, 1000000)
      t.is_true(e.label.text == long)
      e.label.text = "a\0b"
      t.equal(#e.label.text, 3)
      e.label.text = "ünï ☃"
      t.equal(e.label.text, "ünï ☃")
      e:destroy()
      t.fails(function() world.emit(long) end)
      t.fails(function() world.spawn(long) end)
    end,
  },
}
