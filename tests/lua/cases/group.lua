-- The groups of this game: single_pair's query, and the query shared by structural_changes and structural_changes_each.
local function find_component(explained, name)
  for _, component in ipairs(explained.components) do
    if component.name == name then
      return component
    end
  end
end

local function destroy_all(...)
  for _, list in ipairs { ... } do
    for _, e in ipairs(list) do
      e:destroy()
    end
  end
end

return {
  outside = {
    ["world.explain reports the group of a system's query"] = function(t)
      local explained = world.explain { "motion", "numbers" }
      t.is_true(explained.group)
      t.equal(find_component(explained, "motion").way, "group")
      t.equal(find_component(explained, "numbers").way, "group")
      t.equal(explained.bytes, 0)
      t.is_true(world.explain { "probe", "transform" }.group)
      t.is_true(tostring(explained):find("the loop index is the row", 1, true) ~= nil)
    end,
    ["a query uses a row map for components owned by another group, and world.explain reports the reason"] = function(t)
      local numbers = world.spawn_many(nil, 2)
      for _, e in ipairs(numbers) do
        e:add("numbers")
      end
      local pair = world.spawn(nil, { numbers = {}, motion = {} })
      local explained = world.explain { "numbers", "tuned" }
      t.is_false(explained.group)
      t.equal(explained.entities, 0)
      for _, e in ipairs(numbers) do
        e:add("tuned")
      end
      explained = world.explain { "numbers", "tuned" }
      t.equal(explained.entities, 2)
      t.equal(find_component(explained, "numbers").way, "row map")
      local why = find_component(explained, "numbers").why
      t.is_true(why:find("the group { motion, numbers } owns its rows", 1, true) ~= nil)
      t.is_true(find_component(explained, "numbers").bytes > 0)
      t.equal(find_component(world.explain { "motion", optional = { "burning" } }, "burning").way, "row map")
      t.equal(find_component(world.explain { "motion", without = { "burning" } }, "burning").way, "absent")
      t.fails(function() world.explain { "motoin" } end, "motoin")
      destroy_all(numbers, { pair })
    end,
    ["columns of a group follow their entities through structural changes"] = function(t)
      local es = {}
      for i = 1, 60 do
        es[i] = world.spawn(nil, { numbers = { a = i } })
        if i % 2 == 0 then
          es[i]:add("motion", { vx = 10 * i })
        end
      end
      es[10]:destroy()
      es[20]:remove("motion")
      es[30]:remove("numbers")
      es[5]:add("motion", { vx = 50 })
      local q, seen = world.query { "numbers", "motion" }, 0
      for i = 1, q.count do
        seen = seen + 1
        t.equal(q.motion.vx[i], 10 * q.numbers.a[i])
        t.equal(q.entity[i].numbers.a, q.numbers.a[i])
        t.equal(es[q.numbers.a[i]], q.entity[i])
      end
      t.equal(seen, 28)
      local all = world.query { "numbers" }
      for i = 1, all.count do
        t.equal(es[all.numbers.a[i]], all.entity[i])
      end
      es[10] = nil
      for _, e in pairs(es) do
        e:destroy()
      end
    end,
  },
  inside = {
    ["single precision gives the same results in a group and through a row map"] = function(t)
      local es = {}
      for i = 1, 40 do
        local e = world.spawn(nil, { numbers = { b = i, pair = 0 } })
        if i % 2 == 0 then
          e:add("motion", { vx = i })
        end
        if i % 3 == 0 then
          e:add("tuned")
        end
        es[i] = e
      end
      t.wait(2)
      for i = 1, 40 do
        if i % 3 == 0 then
          t.equal(es[i].tuned.speed, 2 * i)
        end
        if i % 2 == 0 then
          t.is_true(es[i].numbers.pair > 0 and es[i].motion.vy == 2 * es[i].numbers.pair)
        end
      end
      destroy_all(es)
      t.wait(1)
    end,
  },
}
