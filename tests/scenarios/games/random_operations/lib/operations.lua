-- The random operations of the systems. Any of them may fail and is called with pcall.
local M = { kept = {}, entities = {} }

local COMPONENTS = { "motion", "health", "target", "label", "mood", "frozen", "burning", "gun", "nozzle", "transform",
  "body", "guard", "name", "lifetime" }
local ASSEMBLAGES = { "rock", "pebble", "tank", "guarded" }
local INSTANCES = { "left", "right", "rear", "" }
local FIELDS = { "vx", "hp", "x", "parent", "heat", "text", "state", "colour", "value" }
local VALUES = {
  function() return { vx = world.random(100) } end, function() return { hp = world.random(5) } end,
  function() return {} end,
  function() return { heat = world.random(5) } end, function() return { text = "t" .. world.random(100) } end,
  function() return { seconds = world.random(3) / 10 } end, function() return { timer = 3 } end,
}

local function pick(list)
  return list[world.random(#list)]
end

local function random_entity()
  return #M.entities > 0 and world.random(30) > 1 and pick(M.entities) or shoal.none
end

-- Adds an entity to the list; if the list has 200 entities, replaces a random one. Ignores nil: the length of a list
-- with holes is undefined and may differ in JIT-compiled code.
local function keep_entity(e)
  if e == nil then
    return
  end
  M.entities[#M.entities < 200 and #M.entities + 1 or world.random(200)] = e
end

-- Keeps a column, view or similar value, so that later operations use it after it has become invalid.
local function keep_view(thing)
  M.kept[world.random(30)] = thing
end
M.hold = keep_view

local function random_query()
  local out = {}
  for i = 1, world.random(3) do
    out[i] = pick(COMPONENTS)
  end
  for _, role in ipairs { "without", "optional", "any" } do
    if world.random(3) == 1 then
      out[role] = { pick(COMPONENTS), pick(COMPONENTS) }
    end
  end
  return out
end

local function fill_columns(q)
  keep_view(q.transform.x)
  q.transform.x[1] = 5
  if world.random(4) == 1 then
    q.entity[1]:destroy()
  end
  if world.random(4) == 1 then
    world.spawn("tank")
  end
  if world.random(9) == 1 then
    error("in the middle of it")
  end
end

local function use_columns(q)
  for _, component in ipairs(COMPONENTS) do
    for _, field in ipairs(FIELDS) do
      pcall(function()
        local column = q[component][field]
        keep_view(column)
        for i = 1, math.min(q.count, 10) do
          column[i] = world.random(5)
        end
      end)
    end
  end
end

local DEEDS = {
  function() keep_entity(world.spawn(pick(ASSEMBLAGES))) end,
  function() keep_entity(world.spawn(pick(ASSEMBLAGES), { [pick(COMPONENTS)] = pick(VALUES)() })) end,
  function()
    for _, e in ipairs(world.spawn_many(pick(ASSEMBLAGES), world.random(12),
      world.random(2) == 1 and fill_columns or nil)) do
      keep_entity(e)
    end
  end,
  function() random_entity():destroy() end,
  function() random_entity():destroy() end,
  function() random_entity():add(pick(COMPONENTS), pick(VALUES)(), world.random(3) == 1 and pick(INSTANCES) or nil) end,
  function() random_entity():add(pick(COMPONENTS)) end,
  function() random_entity():remove(pick(COMPONENTS), world.random(3) == 1 and pick(INSTANCES) or nil) end,
  function() random_entity():set(pick(COMPONENTS), pick(VALUES)()) end,
  function() random_entity():enter(pick { "alive", "dying", "dancing" }) end,
  function() random_entity().transform.parent = random_entity() end,
  function()
    local child = random_entity():children()[1]
    keep_entity(child)
    child:destroy()
  end,
  function() keep_entity(random_entity():parent()) end,
  function()
    local q = world.query(random_query())
    keep_view(q)
    keep_view(q.entity)
    for i = 1, math.min(q.count, 10) do
      keep_entity(q.entity[i])
      if world.random(5) == 1 then
        q.entity[i]:destroy()
      end
    end
    use_columns(q)
  end,
  function()
    for i = 1, 30 do
      local thing = M.kept[i]
      pcall(function() return thing[world.random(40)] end)
      pcall(function() thing[world.random(40)] = world.random(5) end)
      pcall(function() return thing:raw(world.random(10)) end)
      pcall(function() return thing.count end)
    end
  end,
  function()
    for e in world.each(pick(COMPONENTS)) do
      if world.random(10) == 1 then
        e:destroy()
      elseif world.random(20) == 1 then
        break
      end
    end
  end,
  function() world.emit("hit", { who = random_entity(), power = world.random(9) }) end,
  function() random_entity():send("hit", { who = random_entity() }) end,
  function() random_entity():describe() end,
  function() random_entity().gun[pick(INSTANCES)].heat = world.random(9) end,
  function() random_entity().nozzle[pick(INSTANCES)].colour = { 1, 2, 3 } end,
  function() world.lookup("health").hp[random_entity()] = 3 end,
  function() world.single.memory.text = "s" .. world.random(1000) end,
  function() return tostring(random_entity()) .. tostring(random_entity().motion) end,
  function()
    local go = coroutine.wrap(function()
      local q = world.query(random_query())
      coroutine.yield()
      use_columns(q)
    end)
    go()
    M.sleeping = M.sleeping or {}
    table.insert(M.sleeping, go)
  end,
  function() table.remove(M.sleeping, world.random(#M.sleeping))() end,
}

function M.run(count)
  if world.count("transform") > 300 or world.count("motion") > 150 then
    for e in world.each { any = { "transform", "motion" } } do
      e:destroy()
    end
    return
  end
  for _ = 1, count do
    pcall(pick(DEEDS))
  end
end

return M
