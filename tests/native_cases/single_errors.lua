-- Systems in single precision; with --strict, the first number out of range ends the game.
local systems = {
  clamp = [[
return { query = { "mote" }, precision = "single", update = function(q)
  for i = 1, q.count do
    q.mote.small[i] = q.mote.n[i] - 2
  end
end }]],
  sum = [[
return { after = "clamp", query = { "mote" }, precision = "single", update = function(q)
  local sum, max = 0, 0
  for i = 1, q.count do
    local x = q.mote.small[i]
    sum = sum + x
    if x > max then max = x end
  end
  print("sum", sum, max)
end }]],
  fail = [[
return { after = "sum", query = { "mote" }, precision = "single", each = function(e, dt)
  e.mote.d = e.mote.d + dt
  if e.mote.n == 201 then e.mote.x = e.mote.to.mote.x end
end }]],
}
return {
  title = "in single precision, an out-of-range value is clamped and reported, and an error in a row is reported",
  ticks = 2,
  status = 1,
  systems = systems,
  variants = {
    {
      modes = { "LuaJIT", "now" },
      prints = { "sum\t43604\t255" },
      messages = {
        "warn: systems/clamp.lua:3: mote.small must be from 0 to 255, got -1; stored 0",
        "error in system fail: systems/fail.lua:3: row 201, entity(201:0 mote): an entity without mote",
        "error in system fail", -- the error occurs once in 2 ticks, because the system is parked
      },
    },
    {
      modes = { "on" },
      options = "--strict",
      stops_after = 1,
      messages = { "systems/clamp.lua:3: mote.small must be from 0 to 255, got -1:" },
    },
  },
}
