-- Tests statements from the articles on which Shoal is based, except those that are tested elsewhere.
local seen = require("lib.seen")

-- Returns the names of a phase's systems in execution order.
local function list_systems(phase)
  local names = {}
  for _, row in ipairs(world.sql('SELECT name FROM systems WHERE phase = ? ORDER BY "order"', phase)) do
    names[#names + 1] = row.name
  end
  return names
end

return {
  outside = {
    -- Source of this test (see engine/docs/sources.md): Bitsquid.
    ["an entity is destroyed once, and its index is reused with a different generation"] = function(t)
      local e = world.spawn("rock")
      t.is_true(e:destroy())
      t.is_false(e:destroy())
      t.is_false(e:alive())
      local first = tostring(e):match("entity%((%d+:%d+)")
      for _ = 1, 1100 do -- more than the 1,024 freed indices that wait before one is reused
        local other = world.spawn("rock")
        t.is_true(tostring(other):match("entity%((%d+:%d+)") ~= first)
        other:destroy()
      end
      t.is_false(e:alive())
      t.fails(function() return e.health end, "is dead")
    end,
    -- Source of this test (see engine/docs/sources.md): Bitsquid.
    ["one entity may have several components of a type, each with its own row"] = function(t)
      local before = #world.sql("SELECT 1 FROM gun")
      local e = world.spawn("heavy_tank")
      local rows = world.sql("SELECT instance, cooldown FROM gun WHERE entity = ? ORDER BY instance", e)
      t.equal(#rows, 3)
      t.equal(rows[1].instance, "left")
      t.equal(rows[1].cooldown, 9)
      t.equal(rows[3].instance, "right")
      e:destroy()
      t.equal(#world.sql("SELECT 1 FROM gun"), before)
    end,
    -- Source of this test (see engine/docs/sources.md): T-machine.
    ["adding a component also adds the components that it requires"] = function(t)
      local e = world.spawn(nil, { pilot = { skill = 7 } })
      t.is_true(e:has("glider") and e:has("transform"))
      t.equal(e.glider.lift, 1)
      t.equal(e:describe().pilot.requires[1], "glider")
      t.fails(function() e:remove("transform") end, "because glider requires transform", "remove glider first")
      t.is_true(e:disable("transform"):has("transform"))
      e:remove("pilot")
      e:remove("glider")
      e:remove("transform")
      t.is_false(e:has("transform"))
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Ash.
    ["the count of a query is updated when components are added and removed"] = function(t)
      local function count_matching()
        return world.query({ "probe", "marker" }).count
      end
      local before, e = count_matching(), world.spawn(nil, { probe = {} })
      t.equal(count_matching(), before)
      e:add("marker")
      t.equal(count_matching(), before + 1)
      e:remove("probe")
      t.equal(count_matching(), before)
      e:destroy()
    end,
  },
  inside = {
    -- Sources of this test (see engine/docs/sources.md): Ash, Nomad, Tobias Stein.
    ["systems that share no data give the results of their declared order"] = function(t)
      local e = world.spawn(nil, { concurrent_a = {}, concurrent_b = {} })
      t.wait(3)
      t.equal(e.concurrent_a.value, e.concurrent_b.value * 2)
      t.is_true(e.concurrent_b.value >= 2 and e.concurrent_b.seen > 0)
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Bitsquid.
    ["bodies collide at the world positions of their transforms"] = function(t)
      local parent = world.spawn(nil, { transform = { x = 5000, angle = math.pi / 2, scale_x = 2, scale_y = 2 } })
      local child = world.spawn(nil, { transform = { x = 50, parent = parent }, body = { radius = 4 } })
      local there = world.spawn(nil, { transform = { x = 5000, y = 100 }, body = { radius = 1 } })
      seen.contacts, seen.want.contacts = {}, true
      t.wait(3)
      seen.want.contacts = nil
      local met = seen.contacts[#seen.contacts]
      t.is_true(met ~= nil and (met.a == child and met.b == there or met.a == there and met.b == child))
      parent:destroy()
      there:destroy()
      t.wait()
      t.is_false(child:alive())
    end,
    -- Source of this test (see engine/docs/sources.md): Evolve your hierarchy, order of composition.
    ["systems run in the order of the systems table, which is consistent with before and after"] = function(t)
      seen.want.order = true
      t.wait(2)
      seen.want.order = nil
      local ran = {}
      for name in seen.take("order"):gmatch("order (order_[%w_]+)") do
        ran[#ran + 1] = name
      end
      local place = {}
      for _, phase in ipairs { "input", "pre_update", "update", "post_update" } do
        for _, name in ipairs(list_systems(phase)) do
          place[#place + 1] = name:match("^order_") and name or nil
        end
      end
      local all = table.concat(ran, " ")
      t.is_true(all:find(table.concat(place, " "), 1, true) ~= nil)
      t.equal(place[1], "order_input")
      t.is_true(#place >= 8)
      t.is_true(all:find("order_before_first.-order_first.-order_a.-order_b.-order_last.-order_after_last") ~= nil)
    end,
    -- Source of this test (see engine/docs/sources.md): Component based engine design.
    ["an event sent with e:send reaches only this entity"] = function(t)
      local a = world.spawn("rock", { guard = {} })
      local b = world.spawn("rock", { guard = {} })
      t.wait(3)
      seen.take()
      b:send("struck", { power = 8 })
      t.wait(2)
      t.equal(seen.take(), "struck 8 true")
      t.equal(b.guard.mood, "hunt")
      t.equal(a.guard.mood, "idle")
      a:destroy()
      b:destroy()
      t.wait(2)
      seen.take()
    end,
  },
}
