-- Hidden state of scripts: caches, the order of table.foreach, weak tables, memory addresses, and caught errors.
local fills = {}
local cached = shoal.cache(function()
  fills[#fills + 1] = world.count("prober")
  return setmetatable({ count = world.count("prober"), 7 }, { __index = { kind = "cache" } })
end)
local heard = shoal.cache(function()
  local out = {}
  for i, f in ipairs { draw.text_size, audio.playing, assets.ready, assets.screen } do
    out[i] = tostring(select(2, pcall(f, "x", 1)))
  end
  return out
end)
local refused_now
local changing = shoal.cache(function()
  if refused_now then
    return { select(2, pcall(world.spawn, "prober")), select(2, pcall(world.random)) }
  end
  return {}
end)

return {
  outside = {
    ["a cache is filled before any system runs and can be modified"] = function(t)
      t.is_true(#fills > 0)
      t.equal(cached[1], 7)
      t.equal(cached.kind, "cache")
      cached.more = 5
      t.equal(cached.more, 5)
      cached.more = nil
    end,
    ["a cache is refilled in place after a restore"] = function(t)
      local held, e, s = cached, world.spawn("prober"), world.snapshot()
      held.more = 5
      world.restore(s)
      t.equal(held, cached)
      t.equal(held.more, nil)
      t.equal(held.count, 1)
      t.equal(held[1], 7)
      e:destroy()
    end,
    ["a cache cannot read the screen, audio or loading state"] = function(t)
      for i, word in ipairs { "draw.text_size", "audio.playing", "assets.ready", "assets.screen" } do
        t.is_true(heard[i]:find(word .. " is not allowed in a cache's function", 1, true) ~= nil
          or heard[i]:find(word .. " can be called only in systems in phase \"render\", not in a cache's function", 1,
            true) ~= nil)
      end
    end,
    ["shoal.cache can be called only while files are loaded"] = function(t)
      t.fails(function() shoal.cache(function() return {} end) end, "shoal.cache", "main chunk")
    end,
    ["table.foreach iterates in the order of pairs"] = function(t)
      local out = {}
      table.foreach({ z = 1, a = 2, [2] = 3, m = 4 }, function(key) out[#out + 1] = tostring(key) end)
      t.equal(table.concat(out, " "), "2 a m z")
      t.equal(table.foreach({ a = 1, b = 2, c = 3 }, function(_, v) return v > 1 and v or nil end), 2)
    end,
    ["tables never become weak, no matter how __mode is set"] = function(t)
      local function count_entries(key, is_late)
        local metatable = is_late and {} or { [key] = "kv" }
        local held = setmetatable({}, metatable)
        if is_late then
          metatable[key] = "kv"
        end
        for i = 1, 100 do
          held[i], held[{}] = {}, i
        end
        collectgarbage()
        collectgarbage()
        local count = 0
        for i = 1, 100 do
          count = count + (held[i] and 1 or 0)
        end
        return count
      end
      t.equal(count_entries("__mode"), 100)
      t.equal(count_entries("__mo" .. "de", true), 100)
      t.equal(load("return setmetatable({}, { __mode = 'k' })", "=weak")() ~= nil, true)
    end,
    ["messages of caught errors contain no internal type numbers"] = function(t)
      local e = world.spawn("tank")
      local column = world.query({ "motion" }).motion.vx
      local step = coroutine.create(function() return column + 1 end)
      for _, problem in ipairs { select(2, pcall(function() return e.motion + 1 end)),
        select(2, pcall(function() return e.motion() end)),
        select(2, pcall(function() return column() end)), select(2, pcall(function() return column < 1 end)),
        select(2, xpcall(function() return -column end, function(words) return words end)),
        select(2, coroutine.resume(step)) } do
        t.equal(problem:match("struct %d"), nil)
        t.is_true(#problem > 0)
      end
      t.equal(select(2, pcall(error, "as it is 0x7f")), "as it is 0x7f")
      t.equal(select("#", pcall(function() return nil, nil end)), 3)
      e:destroy()
    end,
    ["engine tables cannot be modified with raw functions"] = function(t)
      local e = world.spawn("tank")
      local q = world.query { "motion" }
      for _, v in ipairs { world, shoal, shoal.math, shoal.types, _G, q, q.motion, world.single, input, audio, draw,
        log, assets,
        world.lookup("motion") } do
        t.fails(function() table.insert(v, 5) end, "engine")
        t.fails(function() rawset(v, "note", 5) end, "engine")
        t.fails(function() v.note = 5 end)
        t.fails(function() table.move({ 1 }, 1, 1, 1, v) end, "engine")
      end
      for _, v in ipairs { e, e.motion, e.gun, q.motion.vx, q.entity, world.single.score } do
        t.fails(function() v.note = 5 end)
        t.fails(function() rawset(v, "note", 5) end)
      end
      e:destroy()
    end,
  },
  inside = {
    ["a cache is refilled after a restore inside a tick"] = function(t)
      cached.more = 5
      world.restore(world.snapshot())
      t.equal(cached.more, 5)
      t.wait(1)
      t.equal(cached.more, nil)
    end,
    ["the function of a cache can read but not change the world"] = function(t)
      refused_now = true
      world.restore(world.snapshot())
      t.wait(1)
      refused_now = false
      t.is_true(tostring(changing[1]):find("a cache's function", 1, true) ~= nil)
      t.is_true(tostring(changing[2]):find("world.random", 1, true) ~= nil)
    end,
    ["a coroutine can be used within one tick"] = function(t)
      local step = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
      t.equal(step() + step() + step(), 6)
    end,
  },
}
