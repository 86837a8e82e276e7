-- The reasons why a system or a loop runs in Lua.
local function mote(body)
  return "return { query = { \"mote\" }, update = function(q)\n  local a, b = q.mote.a, q.mote.b\n" .. body .. "\nend }"
end
local first_loop = "  for i = 1, q.count do a[i] = a[i] + 1 end\n"

return {
  title = "--explain names the line that prevents a system from running natively",
  ticks = 20,
  modes = { "now" },
  variants = {
    {
      systems = { -- every row takes a side exit, so native code would not pay off
        emit = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    q.mote.n[i] = world.tick
    world.emit("hit", { n = i })
  end
end }]],
      },
      prints = {
        "emit (systems/emit.lua:2): in LuaJIT: every row runs in Lua: a value that does not fit mote.n, world.emit",
      },
      explain = { emit = "in LuaJIT" },
    },
    {
      systems = {
        descending = mote(first_loop .. "  for i = q.count, 1, -1 do b[i] = b[i] * 0.5 + i end"),
        waits = mote(first_loop .. "  local i = 1\n  while i <= q.count do b[i] = b[i] * 0.5 i = i + 1 end"),
        iterates = mote(first_loop .. "  for e in world.each { \"mote\" } do e.mote.n = e.mote.n + 1 end"),
        changing = mote("  local t = { world.tick }\n  for i = 1, q.count do a[i] = a[i] + t[1] end"),
        zero = mote(first_loop .. "  for i = 0, 40 do if i > 0 then b[i] = b[i] + 1 end end"),
        lookup = mote("  local x = world.lookup(\"mote\").x\n  world.spawn(\"mote\")\n"
          .. "  for i = 1, q.count do b[i] = x[q.mote.to[i]] or 0 end"),
      },
      prints = {
        "descending, line 4 (systems/descending.lua:4): in LuaJIT: a loop from the last row to the first",
        "waits, line 5 (systems/waits.lua:5): in LuaJIT: a while or repeat loop",
        "iterates, line 4 (systems/iterates.lua:4): in LuaJIT: a loop over a table or an iterator",
        "changing (systems/changing.lua:4): in LuaJIT: values from outside the loop keep changing (compiled 8 times)",
        "zero, loop 2 (systems/zero.lua:4): in LuaJIT: in some runs, start, stop or step is not a row number",
        "world.lookup runs in Lua while a spawn is queued",
      },
    },
  },
}
