-- Calls the functions of the plugin `lists` with arguments of many types: scalars, functions, views, tables of many
-- lengths, valid and stale columns of every type, results of earlier calls, and tables with metamethods that run code
-- when they are read.
local lists = shoal.plugins.lists
local FUNCTIONS = { "sum", "living", "pairs", "echo", "give", "fill" }
local kept = shoal.cache(function() return { columns = {}, results = {} } end)

local function add_metamethods(t)
  return setmetatable(t, {
    __index = function(_, i)
      world.spawn("stove", { box = {} })
      if i == 7 then
        local _, own = pcall(lists.pairs, { 1, 2, 3 }, kept.results)
        return own
      end
      return i == 3 and shoal.none or i == 9 and error("thrown") or i < 12 and i or nil
    end,
    __len = function() return 1000 end,
  })
end

local function make_list(count, v)
  local t = {}
  for i = 1, count do
    t[i] = v == nil and i or v
  end
  return t
end

local function make_values(q)
  local out = { {}, { 1 }, { 1, 2, 3 }, { "x" }, { 1, "x" }, { 1, nil, 3 }, { {} },
    { 0 / 0, 1 / 0, -1 / 0, -1, 2 ^ 40 }, { shoal.none },
    { shoal.none, 1 }, { q.entity[1], shoal.none, q.entity[2] }, make_list(100000), make_list(100000, shoal.none),
    add_metamethods({}), add_metamethods({ 1, 2 }),
    add_metamethods({ shoal.none }), 5, "text", true, print, shoal.none, q, q.entity, q.mark, q.mark.value, q.has,
    q.has.box, q.box, q.box.size,
    q.box.at, q.box.at.x, q.box.open, q.box.count, world.lookup("box").size, world.spawn_many("stove", 2000), 1LL,
    coroutine.create(print) }
  for _, v in ipairs(kept.columns) do
    out[#out + 1] = v
  end
  for _, v in ipairs(kept.results) do
    out[#out + 1] = v
  end
  return out
end

local function try_call(name, ...)
  local results = { pcall(lists[name], ...) }
  for i = 2, #results do
    if results[1] and type(results[i]) == "cdata" then
      kept.results[#kept.results % 40 + 1] = results[i]
      local count = type(results[i + 1]) == "number" and results[i + 1] or 0
      for k = 1, math.min(count, 50) do
        assert(results[i][k] ~= nil)
      end
      assert(not pcall(function() return results[i][count + 1] end))
    end
  end
end

return {
  query = { "mark", optional = { "box" } },
  update = function(q)
    local slots = world.query { "slot" }
    for i, e in ipairs({ q.entity[1], q.entity[math.max(q.count - 1, 1)], shoal.none }) do
      if i < 3 then
        e:add("slot", { amount = i }, "left")
      end
      for _, list in ipairs { {}, { 1 }, { 0 / 0, 1e300, -1, 0 }, make_list(40) } do
        try_call("fill", e, list)
      end
    end
    assert(lists.sum({ 1, 2, 4 }) == 7 and select(2, lists.sum(make_list(100000))) == 100000)
    assert(lists.sum(q.mark.value) >= q.count and select(2, lists.living(q.entity)) == q.count)
    assert(lists.pairs({ 2, 3 }, { q.entity[1] })[1] == 2 * q.entity:raw(1))
    local all = make_values(q)
    for _, name in ipairs(FUNCTIONS) do
      for i, v in ipairs(all) do
        try_call(name, v)
        try_call(name, v, all[(i * 7 + world.tick) % #all + 1])
        try_call(name, all[(i * 5 + world.tick) % #all + 1], v)
      end
    end
    for i, n in ipairs { 0, 1, 3, 100000, 5, -1, 0 / 0, 1 / 0 } do
      try_call("give", n)
      try_call(i % 2 == 0 and "sum" or "living", kept.results[1] or {})
    end
    kept.columns[world.tick % 8 + 1] = ({ q.entity, q.mark.value, q.box.size, slots.slot.amount, slots.slot.label,
      slots.slot.owner,
      slots.slot.kind, slots.slot.place })[world.tick % 8 + 1]
    for e in world.each("mark") do
      if world.random() < 0.5 then
        e:destroy()
      end
    end
    world.spawn_many("stove", 40)
    if world.tick == 11 then
      print("lists were tried")
    end
  end,
}
