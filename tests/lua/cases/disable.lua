-- e:disable and e:enable: queries skip disabled entities and components, which keep their values.
local seen = require("lib.seen")

local function count_matching(...)
  local n = 0
  for _ in world.each(...) do
    n = n + 1
  end
  return n
end

local function spawn_dozer()
  return world.spawn("rock", { dozer = {} })
end

-- Returns the labels of matching entities in query order.
local function list_labels(...)
  local out = {}
  for e in world.each(...) do
    out[#out + 1] = e.label.text
  end
  return table.concat(out, " ")
end

return {
  outside = {
    -- Source of this test (see engine/docs/sources.md): Entities-Parts, setActive.
    ["a disabled component keeps its values until it is enabled"] = function(t)
      local e = world.spawn("rock", { motion = { vx = 7 }, marker = {} })
      t.equal(count_matching("motion", "marker"), 1)
      t.equal(e:disable("motion"), e)
      t.equal(count_matching("motion", "marker"), 0)
      t.equal(count_matching("marker"), 1)
      t.is_true(e:has("motion"))
      t.equal(e.motion.vx, 7)
      e.motion.vx = 8
      e:set("motion", { vy = 3 })
      t.equal(e:enable("motion"), e)
      t.equal(count_matching("motion", "marker"), 1)
      t.equal(e.motion.vx, 8)
      t.equal(e.motion.vy, 3)
      e:destroy()
    end,
    ["a disabled entity is skipped by queries, and its own disabled components stay disabled"] = function(t)
      local e = world.spawn("rock", { marker = {} })
      e:disable("motion"):disable()
      t.equal(count_matching("marker"), 0)
      t.equal(count_matching { any = { "marker", "shield" } }, 0)
      t.is_true(e:alive())
      t.equal(world.count("rock"), 1)
      e:enable()
      t.equal(count_matching("marker"), 1)
      t.equal(count_matching("motion"), 0)
      e:enable("motion")
      t.equal(count_matching("motion"), 1)
      e:destroy()
    end,
    ["without_disabled = false matches disabled components"] = function(t)
      local e = world.spawn("rock", { marker = {} })
      local q = { "motion", "marker", without_disabled = false }
      t.equal(count_matching(q), 1)
      e:disable("motion")
      t.equal(count_matching(q), 1)
      t.equal(count_matching { "motion", "marker", without_disabled = true }, 0)
      t.is_true(world.query(q).has.disabled[1])
      e:disable()
      t.equal(count_matching(q), 1)
      t.equal(count_matching { "motion", "marker" }, 0)
      e:destroy()
      t.equal(count_matching(q), 0)
      t.fails(function() world.query { "motion", without_disabled = 3 } end, "without_disabled must be a boolean")
      t.fails(function() world.query { "motion", without_disable = false } end, "without_disabled")
    end,
    ["a disabled component counts as absent for optional and any"] = function(t)
      local e = world.spawn("rock", { marker = {}, shield = {}, fuel = {} })
      local function has_shield()
        return world.query({ "marker", optional = { "shield" } }).has.shield[1]
      end
      t.is_true(has_shield())
      e:disable("shield")
      t.is_false(has_shield())
      t.equal(count_matching { "marker", any = { "shield", "fuel" } }, 1)
      e:disable("fuel")
      t.equal(count_matching { "marker", any = { "shield", "fuel" } }, 0)
      t.equal(count_matching { "marker", without = { "shield" } }, 0) -- it has `shield`, which is disabled
      e:enable("shield")
      t.is_true(has_shield())
      t.equal(count_matching { "marker", any = { "shield", "fuel" } }, 1)
      e:destroy()
    end,
    ["disabling a `many` component disables all its rows"] = function(t)
      local e = world.spawn("tank")
      t.equal(world.query({ "gun" }).count, 2)
      e:disable("gun")
      t.equal(world.query({ "gun" }).count, 0)
      e:add("gun", { heat = 3 }, "rear")
      t.equal(world.query({ "gun" }).count, 0)
      t.equal(e.gun.rear.heat, 3)
      e:enable("gun")
      t.equal(world.query({ "gun" }).count, 3)
      e:disable("gun")
      e:destroy()
      t.equal(world.query({ "gun" }).count, 0)
    end,
    ["disabling or enabling twice has no further effect"] = function(t)
      local e = world.spawn("rock", { marker = {} })
      e:enable("marker"):enable()
      e:disable("marker"):disable("marker"):disable():disable()
      e:enable("marker"):enable()
      t.equal(count_matching("marker"), 1)
      t.is_false(e:has("disabled"))
      e:destroy()
    end,
    ["a removed component is enabled again when it is re-added"] = function(t)
      local e = world.spawn("rock", { marker = {} })
      e:disable("marker"):remove("marker")
      t.is_false(e:has("disabled"))
      e:add("marker")
      t.equal(count_matching("marker"), 1)
      e:destroy()
    end,
    ["invalid arguments of disable and enable are errors"] = function(t)
      local e = world.spawn("rock", { marker = {} })
      t.fails(function() e:disable("shield") end, "shield", "has no")
      t.fails(function() e:disable("markr") end, "markr", "did you mean marker?")
      t.fails(function() e:enable("markr") end, "markr", "did you mean marker?")
      t.fails(function() e:disable(7) end, "7")
      t.fails(function() e:disable("score") end, "single")
      t.fails(function() e:disable():disable("disabled") end, "cannot be enabled or disabled")
      t.fails(function() e.disable(7) end, "e:disable(): 7 is not an entity")
      t.fails(function() world.spawn("rock", { disabled = { markr = {} } }) end, "markr", "did you mean marker?")
      t.fails(function() world.spawn("rock", { disabled = { marker = {}, entitty = {} } }) end,
        "entitty", "the whole entity")
      e:enable()
      t.equal(count_matching("marker"), 1)
      e:destroy()
      t.fails(function() e:disable() end, "dead")
      t.fails(function() e:enable("marker") end, "dead")
    end,
    ["a query with without_disabled = false is unchanged after a restore"] = function(t)
      local e = world.spawn("rock", { marker = {}, dozer = {} })
      local q = { "dozer", any = { "marker" }, optional = { "motion" }, without_disabled = false }
      e:disable("motion"):disable("marker")
      t.equal(count_matching(q), 1)
      local s, seen_before = world.snapshot(), world.query(q).has.motion[1]
      world.restore(s)
      t.equal(count_matching(q), 1)
      t.equal(world.query(q).has.motion[1], seen_before)
      t.is_true(seen_before)
      e:destroy()
    end,
    ["a snapshot restores disabled entities and components, in the same order"] = function(t)
      local made = {}
      for i, name in ipairs { "a", "b", "c" } do
        made[i] = world.spawn(nil, { label = name, marker = {}, shield = {} })
      end
      made[2]:disable("marker")
      made[1]:disable("shield")
      made[3]:disable()
      t.equal(list_labels("marker", "label"), "a")
      local function has_shield()
        return world.query({ "marker", "label", optional = { "shield" } }).has.shield[1]
      end
      t.is_false(has_shield())
      local s, hash = world.snapshot(), world.hash()
      made[3]:enable()
      made[2]:enable("marker")
      made[1]:enable("shield")
      t.equal(list_labels("marker", "label"), "a c b")
      t.is_true(has_shield())
      t.is_true(world.hash() ~= hash)
      world.restore(s)
      t.equal(world.hash(), hash)
      t.equal(list_labels("marker", "label"), "a")
      t.is_false(has_shield())
      made[2]:enable("marker")
      made[3]:enable()
      t.equal(list_labels("marker", "label"), "a b c")
      for _, e in ipairs(made) do
        e:destroy()
      end
    end,
    ["an exported scene contains disabled entities and components"] = function(t)
      local e = world.spawn("rock", { motion = { vx = 9 }, marker = {} })
      world.spawn("rock", { marker = {} }):disable()
      e:disable("motion")
      local written = world.export(nil, { "marker", without_disabled = false })
      for old in world.each { "marker", without_disabled = false } do
        old:destroy()
      end
      world.import(written)
      t.equal(count_matching { "motion", "marker", without_disabled = false }, 2)
      t.equal(count_matching("motion", "marker"), 0)
      t.equal(count_matching("marker"), 1)
      for back in world.each("marker") do
        t.equal(back.motion.vx, 9)
        back:enable("motion")
      end
      t.equal(count_matching("motion", "marker"), 1)
      for old in world.each { "marker", without_disabled = false } do
        old:destroy()
      end
    end,
    ["SQL and e:describe() list disabled entities and components"] = function(t)
      local e = world.spawn("rock")
      e:disable("motion"):disable()
      local rows = world.sql("SELECT instance FROM disabled WHERE entity = ? ORDER BY instance", e)
      t.equal(#rows, 2)
      t.equal(rows[1].instance, "entity")
      t.equal(rows[2].instance, "motion")
      t.is_true(e:describe().disabled.motion ~= nil)
      t.equal(#world.sql("SELECT * FROM motion WHERE entity = ?", e), 1)
      e:destroy()
    end,
    ["query:add skips disabled entities"] = function(t)
      local made = world.spawn_many("rock", 20)
      made[3]:disable()
      made[5]:disable("health")
      world.query({ "health" }):add("marker")
      t.equal(count_matching("marker"), 18)
      made[5]:enable("health")
      world.query({ "health" }):add("marker")
      t.equal(count_matching("marker"), 19)
      made[3]:enable()
      t.equal(count_matching { "health", without = { "marker" } }, 1)
      for _, e in ipairs(made) do
        e:destroy()
      end
    end,
    ["an assemblage may declare a disabled component"] = function(t)
      local e = world.spawn("dozing")
      t.equal(count_matching("marker", "label"), 0)
      local more = world.spawn_many("dozing", 10)
      t.equal(count_matching("marker", "label"), 0)
      t.equal(count_matching("label"), 11)
      e:enable("marker")
      t.equal(count_matching("marker", "label"), 1)
      for _, other in ipairs(more) do
        other:destroy()
      end
      e:destroy()
    end,
    ["a state keeps its components disabled and removes them when it is left"] = function(t)
      local e = world.spawn("tank")
      e:disable("motion"):disable("burning")
      e:enter("dying")
      t.equal(e.motion.vx, 9)
      t.equal(count_matching("motion", "gun"), 0)
      e:enter("alive")
      t.equal(count_matching("burning"), 1)
      t.equal(count_matching("motion"), 0)
      e:destroy()
    end,
  },
  inside = {
    -- Source of this test (see engine/docs/sources.md): Unity, OnEnable.
    ["a behaviour keeps its fields while disabled, and its functions disable and enable are called"] = function(t)
      seen.take()
      local e = spawn_dozer()
      t.wait(3)
      t.equal(seen.take("dozer"), "dozer create 0 | dozer enable 1")
      e:disable()
      t.wait(2)
      local steps = e.dozer.steps
      t.equal(seen.take("dozer"), "dozer disable " .. steps)
      t.is_true(steps >= 1)
      e:send("poke")
      t.wait(3)
      t.equal(seen.take("dozer"), "")
      t.equal(e.dozer.steps, steps)
      e:enable()
      t.wait(2)
      t.equal(seen.take("dozer"), "dozer enable " .. steps + 1)
      t.is_true(e.dozer.steps > steps)
      e:disable("dozer")
      t.wait(2)
      t.is_true(seen.take("dozer"):find("dozer disable", 1, true) ~= nil)
      e:destroy()
      t.wait(2)
      t.equal(seen.take("dozer"), "dozer destroy")
    end,
    -- Source of this test (see engine/docs/sources.md): Klutzershy.
    ["systems skip a disabled component from the end of the system that disables it"] = function(t)
      local e = world.spawn("rock", { lifetime = { seconds = 0.05 }, marker = {} })
      t.wait()
      e:disable("lifetime")
      t.wait(10)
      t.is_true(e:alive())
      t.near(e.lifetime.seconds, 0.05, 0.04)
      e:enable("lifetime")
      e:disable("marker")
      t.equal(count_matching("marker"), 1)
      t.wait()
      t.equal(count_matching("marker"), 0)
      t.wait(10)
      t.is_false(e:alive())
    end,
  },
}
