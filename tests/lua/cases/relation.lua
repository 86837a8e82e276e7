local function join_names(list)
  local names = {}
  for i, e in ipairs(list) do
    names[i] = e:name()
  end
  return table.concat(names, " ")
end

local function spawn_named(...)
  local out = {}
  for i, name in ipairs { ... } do
    out[i] = world.spawn(nil, { name = { value = name }, transform = { x = i } })
  end
  return unpack(out)
end

local function destroy_all(...)
  for _, e in ipairs { ... } do
    e:destroy()
  end
end

local both = {
  ["an entity can have several targets, and each target lists its referrers"] = function(t)
    local ann, bob, apples, pears = spawn_named("ann", "bob", "apples", "pears")
    ann:add("likes", apples, { strength = 3 }):add("likes", pears)
    bob:add("likes", apples)
    ann:add("likes", apples) -- the pair already exists
    return function()
      t.equal(join_names(world.targets(ann, "likes")), "apples pears")
      t.equal(join_names(world.who_targets(apples, "likes")), "ann bob")
      t.equal(join_names(world.who_targets(pears, "likes.target")), "ann")
      local who, how = world.who_targets(apples)
      t.equal(join_names(who), "ann bob")
      t.equal(how[1], "likes.target")
      t.equal(ann:has("likes", pears), true)
      t.equal(bob:has("likes", pears), false)
      t.equal(ann.likes["1"].strength, 3)
      ann:set("likes", pears, { strength = 7 })
      ann:remove("likes", apples)
      return function()
        t.equal(ann.likes["2"].strength, 7)
        t.equal(join_names(world.targets(ann, "likes")), "pears")
        t.equal(ann:remove("likes", apples), false)
        destroy_all(ann, bob, apples, pears)
      end
    end
  end,
  ["a query over pairs matches the entities that target an entity"] = function(t)
    local ann, bob, cyd, apples, pears = spawn_named("ann", "bob", "cyd", "apples", "pears")
    ann:add("likes", apples, { strength = 1 }):add("likes", pears, { strength = 2 })
    bob:add("likes", pears, { strength = 4 })
    cyd:add("likes", apples, { strength = 8 }):add("follows", ann)
    return function()
      local q, sum = world.query { "transform", likes = apples }, 0
      t.equal(q.count, 2)
      for i = 1, q.count do
        sum = sum + q.likes.strength[i] + 100 * q.transform.x[i]
      end
      t.equal(sum, 409)
      t.equal(world.query({ likes = pears, without = { "follows" } }).count, 2)
      t.equal(world.query({ likes = { apples, pears } }).count, 1)
      t.equal(world.query({ likes = apples, follows = ann }).entity[1], cyd)
      local list = {}
      for e in world.each { likes = pears } do
        list[#list + 1] = e
        e:add("likes", cyd) -- adds a pair during the iteration
      end
      t.equal(join_names(list), "ann bob")
      return function()
        t.equal(join_names(world.who_targets(cyd, "likes")), "ann bob")
        local columns = world.query({ likes = cyd }).likes.strength
        t.equal(columns[2], 1)
        t.fails(function() return columns[3] end, "likes.strength", "3")
        destroy_all(ann, bob, cyd, apples, pears)
      end
    end
  end,
  ["a cascade destroys or clears the referrers of a destroyed entity, even in cycles"] = function(t)
    local ann, bob, cyd, dan = spawn_named("ann", "bob", "cyd", "dan")
    ann:add("follows", bob)
    bob:add("follows", cyd)
    cyd:add("follows", ann)
    dan:add("likes", ann):add("likes", dan):add("aims", { at = bob })
    return function()
      cyd:destroy()
      return function()
        t.equal(ann:alive() or bob:alive() or cyd:alive(), false)
        t.equal(join_names(world.targets(dan, "likes")), "dan")
        t.equal(dan.aims.at, shoal.none)
        dan:destroy()
      end
    end
  end,
  ["writing an entity field immediately updates the referrers of the old and the new target"] = function(t)
    local ann, bob = spawn_named("ann", "bob")
    ann:add("aims", { at = ann })
    return function()
      t.equal(join_names(world.who_targets(ann, "aims")), "ann")
      ann.aims.at = bob
      t.equal(join_names(world.who_targets(bob, "aims")), "ann")
      t.equal(#world.who_targets(ann, "aims"), 0)
      destroy_all(ann, bob)
    end
  end,
  ["add, remove and destroy_all apply to all entities of a query over pairs"] = function(t)
    local ann, bob, apples = spawn_named("ann", "bob", "apples")
    ann:add("likes", apples)
    bob:add("likes", apples)
    return function()
      world.query({ likes = apples }):add("health", { hp = 3 })
      return function()
        t.equal(bob.health.hp, 3)
        world.query({ likes = apples }):remove("health")
        return function()
          t.equal(bob:has("health"), false)
          t.equal(world.query({ likes = apples }):destroy_all(), 2)
          apples:destroy()
        end
      end
    end
  end,
}

local outside, inside = {}, {}
for name, case in pairs(both) do
  outside[name .. ", outside systems"] = function(t)
    local following = case
    while following do
      following = following(t)
    end
  end
  inside[name .. ", in a system"] = function(t)
    local following = case
    while following do
      following = following(t)
      t.wait()
    end
  end
end

inside["leave, enter and changed run in this order, in the system's place in the tick"] = function(t)
  local heard = world.single.heard
  heard.text = ""
  local a, b = world.spawn(nil, { watched = { value = 1 } }), world.spawn(nil, { watched = { value = 2 } })
  t.wait() -- systems/observer.lua runs after the test
  t.equal(heard.text, "+1 +2 ")
  b.watched.value, a.watched.other = 7, 3
  t.wait()
  t.equal(heard.text, "+1 +2 =1 =7 ")
  t.wait()
  t.equal(heard.text, "+1 +2 =1 =7 ")
  heard.text = ""
  world.query({ "watched" }).watched.value[1] = 200 -- any kind of write is detected
  t.wait()
  t.equal(heard.text, "=200 =100 ")
  heard.text = ""
  a.watched.value = 5
  b:remove("watched")
  t.wait()
  t.equal(heard.text, "-7 =5 ")
  a:destroy()
  b:destroy()
  local c = world.spawn(nil, { watched = { value = 3 } })
  t.wait()
  t.equal(heard.text, "-7 =5 -5 +3 ") -- all leave handlers run before all enter handlers
  heard.text = ""
  c:add("watched_optional") -- `changed` ignores `optional` components
  t.wait()
  c.watched_optional.value = 8
  t.wait()
  t.equal(heard.text, "")
  c:remove("watched")
  c:add("watched", { value = 3 }) -- the component is removed and added between two runs of the system
  t.wait()
  t.equal(heard.text, "-3 +3 ")
  c.watched.value = 50 -- `changed` spawns an entity, for which `enter` is called in the same tick
  t.wait()
  t.equal(heard.text, "-3 +3 =50 +51 ")
  world.query({ "watched" }):destroy_all()
  t.wait()
end

inside["a system's query may name the target of its pairs"] = function(t)
  local chosen, people = world.single.chosen, {}
  chosen.one = shoal.none
  for i = 1, 600 do
    people[i] = world.spawn(nil, { paired = { number = i } })
  end
  local darling, other = spawn_named("the darling", "other")
  t.wait()
  for i = 1, 600 do
    people[i]:add("likes", darling, { strength = i })
    if i % 3 > 0 then
      people[i]:add("likes", other)
    end
  end
  t.wait() -- the system runs after the test
  t.equal(people[7].paired.called, 7)
  t.equal(people[7].paired.chosen, 0) -- the singleton targets no entity
  chosen.one = other
  t.wait()
  t.equal(people[7].paired.called, 14)
  t.equal(people[7].paired.chosen, 1)
  t.equal(people[9].paired.chosen, 0)
  t.equal(chosen.both, 400)
  for _ = 1, 8 do
    t.wait()
  end
  local wanted = 0
  for _ = 1, 9 do
    wanted = wanted * 0.5 + 599
  end
  t.equal(people[599].paired.each, wanted)
  t.equal(people[600].paired.each, 0)
  darling:remove("name") -- no entity has this name any more
  chosen.one = darling
  t.wait()
  t.equal(people[9].paired.called, 90)
  t.equal(people[9].paired.chosen, 1)
  destroy_all(darling)
  t.wait()
  t.equal(people[9].paired.chosen, 1)
  t.equal(chosen.both, 0)
  destroy_all(other, unpack(people))
end

inside["1000 queries over pairs with different targets give the correct rows"] = function(t)
  local targets, who = {}, spawn_named("who")
  for i = 1, 1000 do
    targets[i] = world.spawn(nil, { paired = { number = i } })
    targets[i]:add("follows", i > 1 and targets[i - 1] or who)
  end
  t.wait()
  for _ = 1, 2 do -- the second iteration finds existing queries
    local sum = 0
    for i = 1, 1000 do
      local q = world.query { "paired", follows = targets[i] }
      sum = sum + (q.count > 0 and q.paired.number[1] or 0)
    end
    t.equal(sum, 1000 * 1001 / 2 - 1)
  end
  destroy_all(who) -- cascades to all followers
  t.wait()
  t.equal(targets[1000]:alive(), false)
end

inside["world.changes counts the changes of a component"] = function(t)
  local e = world.spawn(nil, { watched = { value = 1 } })
  t.wait()
  local before = world.changes("watched")
  e.watched.value = 1 -- writing the same value is not a change
  t.equal(world.changes("watched"), before)
  e.watched.value = 2
  t.equal(world.changes("watched"), before + 1)
  local kept, hash = world.snapshot(), world.hash()
  e:destroy()
  t.wait()
  t.equal(world.changes("watched"), before + 2)
  t.equal(type(kept) ~= nil and type(hash), "string")
  before = world.changes("score")
  world.single.score.value = world.single.score.value + 1
  t.equal(world.changes("score"), before + 1)
  t.fails(function() world.changes("watchd") end, "watchd", "did you mean watched?")
  t.fails(function() world.changes(5) end, "unknown component 5")
end

outside["an invalid pair is an error"] = function(t)
  local ann, gone, other = spawn_named("ann", "gone", "other")
  gone:destroy()
  t.fails(function() ann:add("likes", gone) end, "is dead", "cannot be a target")
  t.fails(function() ann:add("likes", shoal.none) end, "got shoal.none")
  t.fails(function() ann:add("likes") end, "likes requires a target", "e:add(\"likes\", other")
  t.fails(function() ann:add("likes", { strength = 1 }) end, "likes requires a target")
  t.fails(function() ann:add("like", other) end, "like", "did you mean likes?")
  t.fails(function() ann:add("motion", other) end, "motion cannot form pairs", "shoal.types.entity")
  t.fails(function() ann:set("likes", other, { strength = 1 }) end, "no likes with target")
  t.fails(function() ann:add("likes", other, { strenght = 1 }) end, "strenght", "strength")
  t.fails(function() world.who_targets(gone) end, "is dead")
  t.fails(function() world.who_targets(shoal.none) end, "shoal.none is not an entity (check with e:alive())")
  t.fails(function() world.who_targets(5) end, "expected an entity, got 5")
  t.fails(function() world.who_targets(ann, "likess") end, "likess", "did you mean likes?")
  for _ = 1, 2 do -- a valid path is remembered, an invalid one is not
    t.equal(#world.who_targets(other, "likes.target"), 0)
    t.fails(function() world.who_targets(ann, "likes.taget") end, "taget", "target")
  end
  t.fails(function() world.who_targets(ann, "score") end, "single")
  t.fails(function() world.targets(ann, "motion") end, "cannot form pairs")
  t.fails(function() world.query { "transform", likes = gone } end, "is dead")
  t.fails(function() world.query { "transform", likes = "apples" } end, "must be an entity, got text \"apples\"")
  t.fails(function() world.query { "transform", lykes = ann } end, "lykes")
  t.fails(function() world.query { motion = ann } end, "motion cannot form pairs")
  t.fails(function() world.explain { likes = ann } end, "pairs")
  t.equal(ann:has("likes"), false)
  destroy_all(ann, other)
end

outside["an entity is accepted as the value of a component with a single entity field"] = function(t)
  local ann, bob = spawn_named("ann", "bob")
  ann:add("target", bob)
  t.equal(ann.target.entity, bob)
  ann:set("target", shoal.none)
  t.equal(ann.target.entity, shoal.none)
  ann:add("target", ann)
  t.equal(world.who_targets(ann, "target")[1], ann)
  destroy_all(ann, bob)
end

outside["pairs survive a restore and an export"] = function(t)
  local ann, apples = spawn_named("ann", "apples")
  ann:add("likes", apples, { strength = 5 })
  local kept, hash = world.snapshot(), world.hash()
  ann:remove("likes", apples)
  t.equal(#world.who_targets(apples, "likes"), 0)
  world.restore(kept)
  t.equal(world.hash(), hash)
  t.equal(join_names(world.who_targets(apples, "likes")), "ann")
  t.equal(world.sql("SELECT target FROM likes WHERE entity = ?", ann)[1].target, apples)
  local text = world.export(nil, { any = { "likes", "name" } })
  local again = world.import(text)
  local copies = 0
  for _, e in ipairs(again) do
    local who = world.who_targets(e, "likes")
    copies = copies + #who
    t.equal(who[1] == ann, false)
  end
  t.equal(copies, 1)
  destroy_all(ann, apples, unpack(again))
end

outside["invalid options of a relation are errors"] = function(t)
  local types = shoal.types
  t.fails(function() types.relation({}, { cascade = "destory" }) end, "destory", "destroy")
  t.fails(function() types.relation({}, { caskade = "clear" }) end, "caskade", "cascade")
  t.fails(function() types.relation({}, { many = 1 }) end, "boolean")
  t.fails(function() types.relation { target = 1 } end, "declares the field target itself")
  t.fails(function() types.relation(5) end, "table of fields")
  t.fails(function() types.f32(0, { cascade = "clear" }) end, "cannot have cascade")
  t.fails(function() types.entity { cascade = "cleer" } end, "cleer", "clear")
end

inside["targets of an entity that the system has spawned are those that it will have"] = function(t)
  local apples, pears = world.spawn(), world.spawn()
  t.wait()
  local ann = world.spawn()
  ann:add("likes", apples)
  ann:add("likes", pears, { strength = 2 })
  t.equal(#world.targets(ann, "likes"), 2)
  ann:remove("likes", apples)
  t.equal(#world.targets(ann, "likes"), 1)
  t.equal(world.targets(ann, "likes")[1], pears)
  t.equal(#world.who_targets(pears, "likes"), 0)
  t.wait()
  t.equal(world.targets(ann, "likes")[1], pears)
  t.equal(world.who_targets(pears, "likes")[1], ann)
  ann:destroy()
  apples:destroy()
  pears:destroy()
  t.wait()
end

return { outside = outside, inside = inside }
