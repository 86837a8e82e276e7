-- Values for random calls. Their metamethods and functions act while a call is in progress: they spawn, destroy, throw,
-- yield, call the same function again or, if the settings allow it, loop forever.
local settings = require("config")

local M = {}

local TEXTS = { "", "x", "thing", "rich", "acting", "whole", "small", "other", "arm", "sum", "tag", "old", "left",
  "hit", "note", "fire", "steer", "intro",
  "transform", "shape", "name", "act", "poke", "calm", "angry", "empty", "v", "m", "points", "v4", "e", "%a+",
  "(%w)(.*)", "world", "#ff8800", "select 1", "select * from small", "return ...",
  "for e in world.each('small') do e:destroy() end", "{\"entities\":[]}", "none.png", "raw", "count", "__index",
  "\0", "with", "without", "%s %d %q", "..", "../a", "shoal.types", "update", "old/new", "screen", "center" }
local NUMBERS = { 0, 1, -1, 2, 3, 7, 16, 0.5, -0.5, 1.5, 100, 255, 256, 1000, -1000 }
local LARGE = { 1 / 0, -1 / 0, 0 / 0, 2 ^ 31, 2 ^ 32, 2 ^ 53, -2 ^ 31, 1e300, 4194303, 4194304 }
local META = { "__index", "__newindex", "__len", "__call", "__tostring", "__eq", "__lt", "__le", "__concat", "__unm",
  "__add", "__pairs", "__metatable", "__gc" }
local KEYS = { "v", "f", "d", "b", "e", "s", "n", "v2", "v4", "m", "points", "x", "y", "r", "heat", "colour", "power",
  "who", "what", "kind", "at", "raw", "entity", "has", "count", 1, 2, 3,
  "small", "whole", "arm", "other", "transform", "tag", "old", "left", "without", "optional", "any", "volume", "replay",
  "angle", "pan", "replay", "data", "near", "item", "amount" }
-- Suitable values by parameter name.
local NAMED = {
  component = { "whole", "small", "arm", "other", "tag", "transform", "old", "item" },
  assemblage = { "rich", "thing", "acting" },
  event = { "hit", "note" }, instance = { "left", "right", "" }, state = { "calm", "angry" },
  message = { "poke", "hit" },
  action = { "fire", "steer" }, question = { "select * from small limit 3", "select entity from whole", "select ?, ?" },
  field = { "small.v", "sum.v", "whole.f", "arm.left.heat", "whole.v4.x", "sum.at.y", "small", "none.v" },
  label = { "a", "b", "Press", "" },
  source = { "{\"entities\":[{\"assemblage\":\"thing\"}]}" }, path = { "a.b", "a", "inventory.gold" },
  subject = { "a b c d", "one two" }, pattern = { "%a", "(%w)(.*)", "%s*" },
}
local LISTS = { query = true, names = true, what = true, entities = true, numbers = true, x = true, y = true,
  points = true, who = true }
local COMPONENTS = { "small", "whole", "arm", "other", "tag", "transform" }

-- Returns a generator of random arguments for API calls. `pick`: random stream; `functions`: all functions that can be
-- called; `where`: "start", "update", "render" or "on"; `view`: the view of a query or an event.
function M.make_generator(pick, functions, where, view)
  -- acts: number of actions so far within one call; ran: number of actions by function
  local self = { acts = 0, kept = {}, entities = {}, ran = {}, item = nil, again = nil, of = nil, deep = false,
    modest = false }
  local any

  local function keep(v)
    self.kept[pick(24)] = v
    return v
  end

  local function entity()
    return self.entities[pick(12)] or shoal.none
  end

  local ACTIONS = {
    function() self.entities[pick(12)] = world.spawn("rich") end,
    function() world.spawn_many("rich", 300) end,
    function() world.spawn_many("thing", 1500) end,
    function() entity():destroy() end,
    function() world.query({ "whole" }):destroy_all() end,
    function() world.query({ "small" }):add("whole", { m = { 1 } }) end,
    function() entity():add("whole") end,
    function() entity():remove("whole") end,
    function() error("thrown") end,
    function() error({}) end,
    function() coroutine.yield(1) end,
    function() coroutine.yield(1) end,
    function() return self.again() end,
    function() return self.again() end,
    function() keep(world.query { "whole", optional = { "arm" } }) end,
    function() world.emit("hit", { power = 2 }) end,
    function() world.after(0.05 * pick(5), "hit", { power = 2 }) end,
    function() world.tween(entity(), "transform.x", pick(10), 0.1, "back_in_out", { next = { any(2), 0.1 } }) end,
    function() world.emit_many("hit", 300, function(ev) ev.power[1] = 2 end) end,
    function() world.spawn_many("rich", 20, function(q) keep(q).whole.f[1] = 3 end) end,
    function() collectgarbage() end,
    function() keep(world.snapshot()) end,
    function() return where == "start" and world.restore(self.kept[pick(24)]) end,
    function() world.find("x") end,
    function() world.scene("empty") end,
    function()
      local item = functions[pick(#functions)]
      return item.call(any(1), any(1), any(1))
    end,
  }

  local function run_random_action(...)
    self.acts = self.acts + 1
    self.ran[self.item] = (self.ran[self.item] or 0) + 1
    if settings.endless and pick(4) == 1 then
      while true do end -- luacheck: ignore 542
    elseif self.deep then
      return self.again()
    elseif self.acts > 40 then
      error("enough")
    end
    local good, problem = true, nil
    if pick(3) == 1 then
      good, problem = pcall(ACTIONS[pick(#ACTIONS)])
    elseif pick(2) == 1 then
      ACTIONS[pick(#ACTIONS)]()
    end
    local n = pick(5)
    if not good and n == 1 then
      error(problem, 0)
    end
    return n == 1 and pick(10) or n == 2 and TEXTS[pick(#TEXTS)] or n == 3 and any(2) or n == 4 and (...) or nil
  end

  local function add_metamethods(t)
    local meta = {}
    for _ = 1, pick(4) do
      meta[META[pick(#META)]] = run_random_action
    end
    if pick(2) == 1 then
      meta.__index = run_random_action
    end
    if pick(4) == 1 then
      meta.__tostring = run_random_action
    end
    return setmetatable(t, meta)
  end

  local function make_list(depth)
    local t = {}
    for i = 1, pick(17) - 1 do
      t[i] = pick(3) == 1 and any(depth) or pick(100)
    end
    return t
  end

  local function make_record(depth)
    local t = {}
    for _ = 1, pick(5) - 1 do
      t[KEYS[pick(#KEYS)]] = any(depth)
    end
    return t
  end

  local function choose(pool)
    return pool[pick(#pool)]
  end

  local function call_kept(...)
    local f = self.kept[pick(24)]
    return type(f) == "function" and f(...) or nil
  end

  local KINDS = {
    function() return nil end,
    function() return choose(NUMBERS) end,
    function() return choose(NUMBERS) end,
    function() return self.modest and 3 or choose(LARGE) end,
    function() return choose(TEXTS) end,
    function() return choose(TEXTS) end,
    function() return pick(2) == 1 end,
    entity,
    entity,
    make_list,
    make_record,
    function(depth) return add_metamethods(make_list(depth)) end,
    function(depth) return add_metamethods(make_record(depth)) end,
    function(depth) return add_metamethods(make_record(depth)) end,
    function() return run_random_action end,
    function() return choose(functions).call end,
    function() return self.kept[pick(24)] end,
    function() return view end,
    function() return coroutine.create(run_random_action) end,
    function() return world.query { "small", optional = { "whole" } } end,
    function() return world.single.sum end,
    function() return world.lookup(pick(2) == 1 and "whole" or "small") end,
    function() return entity().whole end,
    function() return entity().arm end,
    function() return world.query({ "whole" }).whole[choose(KEYS)] end,
    function() return _G[choose { "world", "draw", "audio", "input", "string", "table", "shoal", "_G" }] end,
    function() return call_kept(any(3), any(3)) end,
    function() return choose { 1LL, 0xffffffffffffffffULL, 1i } end,
  }

  function any(depth)
    depth = (depth or 0) + 1
    local good, v = pcall(KINDS[depth > 3 and pick(9) or pick(#KINDS)], depth)
    return good and v or nil
  end

  -- Functions that return values whose fields are read and written.
  local ROOTS = {
    entity,
    entity,
    function() return world.single.sum end,
    function() return world.lookup("whole") end,
    function() return world.query { "whole", optional = { "arm", "other" } } end,
    function() return view end,
    function() return self.kept[pick(24)] end,
    function() return _G end,
    any,
  }

  local function place()
    local good, v = pcall(choose(ROOTS))
    for _ = 1, pick(3) - 1 do
      local found, inner = pcall(function() return v[choose(KEYS)] end)
      v = found and inner ~= nil and inner or v
    end
    return good and v or nil
  end

  local function components()
    local t = {}
    for i = 1, pick(3) do
      t[i] = choose(COMPONENTS)
    end
    for _, role in ipairs { "without", "any", "optional" } do
      t[role] = pick(4) == 1 and { choose(COMPONENTS) } or nil
    end
    return t
  end

  local OF_KIND = {
    ["function"] = function()
      return pick(8) == 1 and choose(functions).call or pick(8) == 1 and add_metamethods(make_record(1))
        or run_random_action
    end,
    table = function(name)
      if name == "range" and pick(2) == 1 then
        return { pick(9) - 9, pick(9) }
      end
      local t = LISTS[name] and (pick(2) == 1 and components() or make_list(1))
        or name == "" and pick(2) == 1 and make_list(1) or make_record(1)
      return pick(4) > 1 and add_metamethods(t) or t
    end,
    text = function(name) return choose(NAMED[name] or TEXTS) end,
    number = function()
      return pick(20) == 1 and not self.modest and choose(LARGE) or pick(3) == 1 and choose(NUMBERS) or pick(40)
    end,
    truth = function() return pick(2) == 1 end,
    entity = entity,
    view = function()
      return pick(2) == 1 and view or world.query { choose(COMPONENTS), optional = { choose(COMPONENTS) } }
    end,
    column = function()
      local q = world.query { "whole", optional = { "arm", "other" } }
      return choose { q.entity, q.whole.f, q.other.v, q.other.who, q.has.other }
    end,
    panel = function() return self.panel end,
    place = place,
    any = function() return settings.callbacks and pick(2) == 1 and add_metamethods(make_record(1)) or any() end,
  }

  -- Returns an argument for a parameter { name, kind }, usually of that kind. Without a parameter, returns any value.
  function self.argument(parameter)
    if not parameter or pick(8) == 1 and parameter[1] ~= "of" then
      return any()
    end
    local name, kind = parameter[1], parameter[2]
    if name == "self" and pick(3) > 1 then
      return self.of
    end
    local good, v = pcall(OF_KIND[kind], name)
    if name == "of" then
      self.of = v
    end
    return good and v or nil
  end

  self.keep = keep
  return self
end

return M
