-- Loops with e:enter in some rows: machine code lists these rows if every entity of the query has the state.
-- `watch` counts the entities that enter and leave a state, so the order of the changes is part of the hash.
local components = [[
local t = shoal.types
return { mote = { n = t.i32(0), energy = 0, turns = 0 }, slow = { left = 3 }, fast = { left = 2, speed = 1 },
  totals = t.single { n = t.f64(0) }, hits = t.single { sum = 0 } }]]
local watch = [[
return { query = { "fast", "mote" },
  enter = function(e) local s = world.single.totals s.n = s.n * 0.5 + e.mote.n e.fast.speed = s.n % 7 end,
  leave = function(e) local s = world.single.totals s.n = s.n * 0.75 + e.mote.n end,
}]]
local walk = [[
return { query = { "slow", "mote" }, each = function(e)
  local mote = e.mote
  mote.energy = mote.energy + 0.5
  e.slow.left = e.slow.left - 1
  if e.slow.left <= 0 then
    mote.turns = mote.turns + 1
    if mote.energy % 2 < 1 then e:enter("fast") elseif mote.n % 5 == 0 then e:enter("tired") end
  end
end }]]
local run = [[
return { query = { "fast", "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.energy[i] = q.mote.energy[i] - q.fast.speed[i]
    q.fast.left[i] = q.fast.left[i] - 1
    if q.fast.left[i] <= 0 then q.entity[i]:enter("slow") end
  end
end }]]
local rest = [[
return { query = { "mote" }, each = function(e)
  e.mote.energy = e.mote.energy + 0.25
  if e:state() == "tired" and (e.mote.n + world.tick) % 3 == 0 then e:enter("slow") end
end }]]

-- Returns the source of assemblages.lua. `fast`: components of the state "fast" of every second mote.
local function declare(fast, tired)
  return ([[
return {
  mote = { components = { mote = {} },
    states = { initial = "slow", slow = { slow = {} }, fast = { fast = {} }, %s } },
  odd = { components = { mote = {} },
    states = { initial = "slow", slow = { slow = { left = 5 } }, fast = %s, %s } },
}]]):format(tired, fast, tired)
end

local function start(more)
  return ([[
return { start = function()
  for i = 1, 600 do
    world.spawn(i %% 2 == 0 and "mote" or "odd", { mote = { n = i }, slow = { left = i %% 40 / 4 } })
  end
  %s
end }]]):format(more)
end

-- With two kinds of changes, these rows run in Lua after all other rows.
local tell = [[
return { query = { "mote" }, each = function(e)
  e.mote.turns = e.mote.turns + 0.5
  if (e.mote.n * 7 + world.tick) % 61 == 0 then
    world.emit("hit", { n = e.mote.n })
    e:enter("slow")
  end
end }]]

local listed = { a_walk = "native, no rows in Lua", b_run = "native, no rows in Lua",
  c_rest = "native, some rows in Lua", d_tell = "native, some rows in Lua" }
local stateless = { a_walk = "native, no runs", b_run = "native, no rows in Lua",
  c_rest = "native, some rows in Lua", d_tell = "native, some rows in Lua" }

return {
  title = "native systems that call e:enter give the same world as in Lua",
  ticks = 30,
  modes = { "interpreted", "sse2,now", "on", "now", "now,split", "now,guard", "now,swap3" },
  components = components,
  game = start(""),
  assemblages = declare("{ fast = { left = 6 } }", "tired = {}"),
  systems = { a_walk = walk, b_run = run, c_rest = rest, d_tell = tell, e_watch = watch },
  explain = listed,
  variants = {
    {},
    -- Both states contain the component `slow`, whose values remain unless the new state sets them.
    { assemblages = declare("{ fast = {}, slow = {} }", "tired = { slow = { left = 9 } }") },
    -- An entity without states would fail to enter a state, so Lua runs all rows of its queries.
    { game = start([[world.spawn(nil, { mote = { n = 1 }, slow = { left = 1e6 } })]]), explain = stateless },
    -- This entity reaches e:enter and fails, after the rows before it were written, and before the rows after it are.
    { game = start([[world.spawn(nil, { mote = { n = 1, energy = 1 }, slow = { left = 7 } })]]), status = 1,
      messages = { "error in system a_walk: systems/a_walk.lua:7: " }, explain = stateless },
    -- A function computes the values of a state, and reads what earlier rows have written.
    { assemblages = declare("{ fast = function(e) return { left = 2 + e.mote.energy % 3 } end }", "tired = {}"),
      explain = { a_walk = "native, some rows in Lua", b_run = "native, some rows in Lua",
        c_rest = "native, some rows in Lua", d_tell = "native, some rows in Lua" } },
  },
}
