local seen = require("lib.seen")

local function destroy_all(es)
  for _, e in ipairs(es) do
    e:destroy()
  end
end

-- Returns the names of the recording systems in the order in which they ran in the last complete tick.
local function record_order(t)
  seen.want.order = true
  t.wait(2)
  seen.want.order = nil
  local text = seen.take("order"):gsub("order ", ""):gsub(" | ", " ")
  return text
end

local function runs_before(text, a, b)
  local found = text:find("input.-" .. a .. ".-" .. b)
  return found ~= nil
end

return {
  outside = {
    ["world.tick and world.time start at 0"] = function(t)
      t.equal(world.tick, 0)
      t.equal(world.time, 0)
    end,
  },
  inside = {
    ["an each function reads components of its entity and of other entities in any row order"] = function(t)
      local other, es = world.spawn(nil, { shield = { power = 7 } }), {}
      for i = 1, 4 do
        es[i] = world.spawn(nil, { burning = { heat = i } })
      end
      for i = 4, 1, -1 do
        if i ~= 2 then es[i]:add("shield", { power = 10 * i }) end
      end
      t.wait()
      local want = { turns = {}, max_turns = 4 }
      seen.want.cursor = want
      t.wait(2)
      seen.want.cursor = nil
      t.equal(table.concat(want.turns, ", "), "1 10 nobody, 2 none 1.5, 3 30 2.5, 4 40 3.5")
      t.equal(es[1].shield.power, 2010)
      t.equal(es[3].shield.power, 1030)
      t.equal(es[4].shield.power, 40)
      t.equal(other.shield.power, 7)
      other:destroy()
      es[1]:remove("shield")
      t.wait()
      want.shield = es[3].shield -- the row of es[3] has moved
      t.equal(want.shield.power, 1030)
      t.fails(function() return es[1].shield end, "has no shield")
      destroy_all(es)
      t.wait()
      t.fails(function() return want.shield.power end, "is dead")
    end,
    ["an each function runs once per tick and entity and receives dt"] = function(t)
      local a, b = world.spawn(nil, { probe = {} }), world.spawn(nil, { probe = {} })
      local c = world.spawn(nil, { probe = {}, frozen = {} })
      t.wait(4)
      t.equal(a.probe.n, 4)
      t.equal(b.probe.n, 4)
      t.equal(c.probe.n, 0)
      t.near(seen.each_dt, 1 / 60)
      destroy_all { a, b, c }
      t.wait()
    end,
    ["an update function iterates columns and tests for optional components"] = function(t)
      local a, b = world.spawn(nil, { probe = {}, shield = { power = 7 } }), world.spawn(nil, { probe = {} })
      t.wait(2)
      t.equal(seen.power, 7)
      t.equal(a.probe.seen, 2)
      t.equal(b.probe.seen, 2)
      b:add("shield", { power = 1 })
      t.wait(2)
      t.equal(seen.power, 8)
      a:remove("shield")
      t.wait(2)
      t.equal(seen.power, 1)
      t.near(seen.update_dt, 1 / 60)
      destroy_all { a, b }
      t.wait()
    end,
    ["a system without a query is called once per tick with dt only"] = function(t)
      local runs = seen.free_runs
      t.wait(5)
      t.equal(seen.free_runs - runs, 5)
      t.equal(seen.free_arguments, 1)
      t.near(seen.free_dt, 1 / 60)
    end,
    ["`queries` gives a system several named queries"] = function(t)
      local a, b = world.spawn(nil, { probe = {} }), world.spawn("tank")
      t.wait(2)
      t.equal(seen.probes, 1)
      t.equal(seen.tanks, 2) -- two rows: the tank has two guns
      seen.want.queries = true
      t.wait()
      seen.want.queries = nil
      t.is_true(seen.queries_problem:find("rocks", 1, true) ~= nil
        and seen.queries_problem:find("probes, tanks", 1, true) ~= nil)
      destroy_all { a, b }
      t.wait()
    end,
    ["`every` limits the runs of update, whose dt is the interval, but handlers receive every event once"] = function(t)
      seen.every_ticks = {}
      for i = 1, 12 do
        world.emit("hit", { what = "every", power = i })
        t.wait()
      end
      t.equal(#seen.every_ticks, 2)
      t.wait()
      for _, tick in ipairs(seen.every_ticks) do
        t.equal(tick % 6, 0)
      end
      t.near(seen.every_dt, 6 / 60, 1e-7)
      t.near(seen.every_handler_dt, 1 / 60, 1e-7)
      t.equal(seen.take("every"), "every 1 | every 2 | every 3 | every 4 | every 5 | every 6 | every 7 | every 8 | "
        .. "every 9 | every 10 | every 11 | every 12")
      seen.take()
    end,
    ["a system with enabled = false does not run"] = function(t)
      t.wait(2)
      t.equal(seen.disabled, nil)
    end,
    ["the start function of a system runs once"] = function(t)
      t.wait(2)
      t.equal(seen.starts, 1)
    end,
    ["phases run in order, with render last"] = function(t)
      local text = record_order(t)
      t.is_true(text:find("order_input order_pre .-order_post order_render") ~= nil)
    end,
    -- Source of this test (see engine/docs/sources.md): Tobias Stein, dependencies.
    ["`before` and `after` determine the order in a phase, then the priority, then the name"] = function(t)
      local text = record_order(t)
      t.is_true(runs_before(text, "order_a", "order_b"))
      t.is_true(runs_before(text, "order_first", "order_a"))
      t.is_true(runs_before(text, "order_b", "order_last"))
      t.is_true(runs_before(text, "order_before_first", "order_first"))
      t.is_true(runs_before(text, "order_last", "order_after_last"))
    end,
    ["`enter` runs for entities that start to match, and `leave` runs for entities that stop matching"] = function(t)
      seen.take()
      local a = world.spawn(nil, { probe = { n = 5, seen = 0 }, marker = {}, frozen = {} })
      t.wait()
      t.equal(seen.take("enter"), "enter 5")
      a:remove("marker")
      t.wait(2)
      t.equal(seen.take("leave"), "leave true")
      a:add("marker")
      t.wait(2)
      t.equal(seen.take("enter"), "enter 5")
      a:destroy()
      t.wait(2)
      t.equal(seen.take("leave"), "leave false")
      seen.take()
    end,
    ["enter and leave do not run for an entity spawned and destroyed between two runs"] = function(t)
      seen.take()
      local a = world.spawn(nil, { probe = {}, marker = {} })
      a:destroy()
      t.wait(2)
      t.equal(seen.take(), "")
    end,
    ["an error in a system contains the file and line of the script"] = function(t)
      local e = world.spawn("rock")
      t.wait()
      t.fails(function() error("here") end, "cases/system.lua:", "here")
      e:destroy()
      t.wait()
    end,
  },
}
