-- A constant is read again when it changes; a value of an unsupported type parks the system.
return {
  title = "in single precision, a constant that changes to a table parks the system with an error at its line",
  ticks = 12,
  status = 1,
  modes = { "LuaJIT", "now" },
  systems = {
    add = [[
local speed = shoal.cache(function() return { v = 2 } end)
return { query = { "mote" }, precision = "single", each = function(e, dt)
  e.mote.d = e.mote.d + speed.v
end, on = { hit = function() speed.v = speed.v == 2 and 3 or {} end } }]],
    emit = [[
return { update = function() if world.tick % 3 == 0 then world.emit("hit") end end }]],
    print = [[
return { after = "add", query = { "mote" }, update = function(q) print("d", q.mote.d[1]) end }]],
  },
  prints = { "d\t11\ntick 12 " },
  messages = {
    'error in system add: systems/add.lua:3: precision = "single": cannot compile the use of a table as a number',
  },
}
