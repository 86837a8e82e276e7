-- The loader rewrites table literals in calls to world.spawn and world.emit (scripts/shoal/schema/literal.lua). Results
-- and messages must be the same as for a table passed as a variable.
local seen = require("lib.seen")

local function hide_literal(value) -- hides a table literal from the loader
  return value
end

local function take_json(t, e)
  t.wait()
  local text = e:json():gsub('"x":%-?%d+', "x"):gsub('"id":%d+', "id")
  e:destroy()
  return text
end

local function spawn_rock(motion)
  world.spawn("rock", { motion = motion })
end

return {
  inside = {
    ["literal overrides create the same entity as a table"] = function(t)
      for i = 1, 100 do
        local a = world.spawn("rock", { motion = { vx = i, vy = -i }, label = { text = "n" .. i } })
        local b = world.spawn("rock", hide_literal { motion = { vx = i, vy = -i }, label = { text = "n" .. i } })
        if i % 20 == 1 then
          t.equal(take_json(t, a), take_json(t, b))
        else
          a:destroy()
          b:destroy()
        end
      end
    end,
    ["nested literals create the same entities as nested tables"] = function(t)
      local kept, yes, number = { vy = 7 }, hide_literal(true), hide_literal(4)
      for i = 1, 120 do
        local inner = world.spawn("rock", { motion = { vx = world.spawn("rock"):alive() and 2 or 3, vy = i } })
        local made = {
          world.spawn("rock", { motion = { vx = yes and i, vy = number - 1 }, shield = {}, label = { text = "a" } }),
          hide_literal { motion = { vx = i, vy = 3 }, shield = {}, label = { text = "a" } },
          inner, hide_literal { motion = { vx = 2, vy = i } },
          world.spawn("rock", { label = { text = i > 2 and "many" or "few" }, motion = kept }),
          hide_literal { label = { text = i > 2 and "many" or "few" }, motion = kept },
          world.spawn("rock", { motion = yes and { vx = 1 } or { vy = i }, label = { text = "c" } }),
          hide_literal { motion = { vx = 1 }, label = { text = "c" } },
          world.spawn("rock", { motion = not yes and { vx = 1 } or { vy = i }, label = { text = "d" } }),
          hide_literal { motion = { vy = i }, label = { text = "d" } },
          world.spawn("rock", { motion = { vx = 5, vy = -6 } }), hide_literal { motion = { vx = 5, vy = -6 } },
          world.spawn("rock", { motion = yes and { vx = i } }), hide_literal { motion = { vx = i } },
          world.spawn("rock", yes and { motion = { vx = i } } or { motion = { vy = i } }),
          hide_literal { motion = { vx = i } },
          world.spawn("rock", { motion = { vx = #{ 1, 2, i } } }), hide_literal { motion = { vx = 3 } },
          world.spawn("rock", { motion = { vx = number, vy = (function() return number end)() } }),
          hide_literal { motion = { vx = 4, vy = 4 } },
        }
        for k = 1, #made, 2 do
          if i % 60 == 1 then
            t.equal(take_json(t, made[k]), take_json(t, world.spawn("rock", made[k + 1])))
          else
            made[k]:destroy()
          end
        end
      end
      for e in world.each("motion") do
        if e:assemblage() == "rock" then
          e:destroy()
        end
      end
    end,
    ["literal values of every field type give the same result as values in a table"] = function(t)
      local e = world.spawn("rock")
      for _ = 1, 3 do
        local a = world.spawn("rock", { every_type = { f = 0.1, d = 0.1, b = false, i8 = -128, i16 = 3.9, i32 = -3.9,
          u8 = 255, u16 = 1, u32 = 4294967295, e = e, s = "new", n = "two", plain = false, word = "" } })
        local b = world.spawn("rock", hide_literal { every_type = { f = 0.1, d = 0.1, b = false, i8 = -128, i16 = 3.9,
          i32 = -3.9, u8 = 255, u16 = 1, u32 = 4294967295, e = e, s = "new", n = "two", plain = false, word = "" } })
        t.equal(take_json(t, a), take_json(t, b))
      end
      local x = 1.5
      local sum = world.spawn("rock", { every_type = { i32 = x + x, v3 = { 1, 2, x }, a = "b.png" } })
      t.wait()
      t.equal(sum.every_type.i32, 3)
      t.equal(sum.every_type.v3.z, 1.5)
      sum:destroy()
      e:destroy()
    end,
    ["an invalid literal override spawns nothing"] = function(t)
      local before = world.count("rock")
      for i = 1, 120 do
        local wrong = i == 110 and "fast" or i
        if i ~= 110 then
          world.spawn("rock", { motion = { vx = wrong } }):destroy()
        else
          t.fails(function() world.spawn("rock", { motion = { vx = wrong } }) end, "motion.vx", "number", "fast")
        end
      end
      t.fails(function() world.spawn("rock", { motion = { vx = 1, vz = 3 } }) end, "motion", "vz", "vx")
      t.fails(function() world.spawn("rock", { motion = { vx = 1 }, moton = { vx = 1 } }) end, "moton")
      t.fails(function() world.spawn("rock", { motion = { 1, 2 } }) end, "motion")
      t.fails(function() world.spawn("rock", { [1] = { vx = 1 } }) end, "unknown component")
      t.fails(function() world.spawn("rock", { every_type = { n = "three" } }) end, "n", "one, two")
      t.fails(function() world.spawn("rock", { target = { entity = 5 } }) end, "an entity")
      t.fails(function() world.spawn("boulder", { motion = { vx = 1 } }) end, "boulder", "rock")
      t.wait()
      t.equal(world.count("rock"), before)
    end,
    ["nil values in a literal are ignored, and each of several alternative literals is checked"] = function(t)
      local none = hide_literal(nil)
      local a = world.spawn("rock", { motion = { vx = none, vy = 4 }, label = none })
      t.wait()
      t.equal(a.motion.vx, 20)
      t.equal(a.motion.vy, 4)
      a:destroy()
      for i = 1, 2 do
        local b = world.spawn("rock", { motion = i == 1 and { vx = 7 } or { vy = 8 } })
        t.wait()
        t.equal(b.motion.vx + b.motion.vy, i == 1 and 7 or 28)
        b:destroy()
      end
      t.fails(function() world.spawn("rock", { motion = none == nil and { vxx = 7 } or { vy = 8 } }) end, "vxx")
      t.fails(function() world.spawn("rock", none == nil and { moton = {} } or { motion = { vx = 1 } }) end, "moton")
    end,
    ["a literal passed to another function keeps its keys"] = function(t)
      local function list_names(_, given)
        local out = {}
        for name in pairs(given) do
          out[#out + 1] = name
        end
        table.sort(out)
        return table.concat(out, " ")
      end
      local any = { spawn = list_names }
      t.equal(list_names("rock", { motion = { vx = 1 }, a = 1 }), "a motion")
      t.equal(any.spawn("rock", { motion = { vx = 1 }, b = 2 }), "b motion")
      t.equal((any and list_names or world.spawn)("rock", { motion = { vx = 1 } }), "motion")
      local kept = { vx = 3 }
      spawn_rock(kept)
      t.equal(list_names(nil, kept), "vx")
    end,
    ["literal spawns keep their order among events and other commands"] = function(t)
      local made = {}
      seen.take()
      for i = 1, 30 do
        made[#made + 1] = world.spawn("rock", { motion = { spin = 1000 + i } })
        if i % 10 == 0 then
          world.emit("hit", { what = "shot", power = i })
        end
        if i == 17 then
          made[#made + 1] = world.spawn("rock", { motion = { spin = 5000 }, shield = { power = 3 } })
          made[#made]:set("shield", { power = 4 })
          made[5]:destroy()
        end
        t.is_true(made[#made]:alive())
      end
      t.equal(made[1].motion.spin, 1001)
      t.wait(2)
      local order = {}
      for e in world.each("motion") do
        if e.motion.spin >= 1000 then
          order[#order + 1] = e.motion.spin
        end
      end
      t.equal(#order, 30)
      t.equal(made[18].shield.power, 4)
      t.equal(made[31].motion.spin, 1030)
      t.is_false(made[5]:alive())
      t.equal(seen.take("late"), "late shot 10 | late shot 20 | late shot 30")
      seen.take()
      for _, e in ipairs(made) do
        e:destroy()
      end
    end,
    ["spawns as statements create the same entities as spawns whose result is used"] = function(t)
      for i = 1, 60 do
        if i % 3 == 0 then
          t.is_true(world.spawn("rock", { motion = { spin = 2000 + i, vx = i / 3 }, label = { text = "b" } }):alive())
        elseif i % 20 == 1 then
          world.spawn("rock", { motion = { spin = 2000 + i, vx = i / 3 }, label = { text = "b" }, shield = {} })
        elseif i % 7 == 1 then
          world.spawn("rock", { motion = { spin = 2000 + i, vx = i / 3, vy = 0 }, label = { text = "b" } })
        else
          world.spawn("rock", { motion = { spin = 2000 + i, vx = i / 3 }, label = { text = "b" } })
        end
      end
      t.wait()
      local count, spin_of_previous = 0, 2000
      for e in world.each("motion") do
        local i = e.motion.spin - 2000
        if i > 0 then
          t.is_true(e.motion.spin > spin_of_previous)
          local expected = { motion = { spin = 2000 + i, vx = i / 3 }, label = { text = "b" },
            shield = i % 20 == 1 and i % 3 ~= 0 and {} or nil }
          count, spin_of_previous = count + 1, e.motion.spin
          t.equal(take_json(t, world.spawn("rock", expected)), take_json(t, e))
        end
      end
      t.equal(count, 60)
    end,
    ["an event from a literal equals an event from a table, and an invalid event is not emitted"] = function(t)
      seen.take()
      for i = 1, 3 do
        world.emit("hit", { what = "a", power = i })
        world.emit("hit", hide_literal { what = "b", power = i })
      end
      world.emit("hit", { power = 9 })
      t.fails(function() world.emit("hit", { what = "a", power = "much" }) end, "event hit.power", "number")
      t.fails(function() world.emit("hit", { what = "a", power_ = 1 }) end, "power_", "power")
      t.fails(function() world.emit("hit", { what = "a", who = 3 }) end, "who", "entity")
      t.wait(2)
      t.equal(seen.take("late"), "late a 1 | late b 1 | late a 2 | late b 2 | late a 3 | late b 3 | late  9")
      seen.take()
    end,
  },
  outside = {
    ["literal overrides take effect immediately outside systems"] = function(t)
      local e = world.spawn("rock", { motion = { vy = 3 }, label = { text = "hello" } })
      t.equal(e.motion.vx, 20)
      t.equal(e.motion.vy, 3)
      t.equal(e.label.text, "hello")
      world.emit("unread", { number = 4 })
      e:destroy()
    end,
  },
}
