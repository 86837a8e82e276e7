-- In a query with a `many` component, several rows of an entity share the rows of its other components. Also, world.run
-- runs an on-demand system. The numbers are exact in both precisions.
local update_parts = [[
return { query = { "part", "mote" }, PRECISION update = function(q, dt)
  for i = 1, q.count do
    q.part.y[i] = q.part.y[i] + dt
    q.mote.x[i] = q.mote.x[i] * 0.5 + q.part.y[i]
  end
end }]]
local double = [[
return { phase = "demand", query = { "mote" }, precision = "single", each = function(e) e.mote.y = e.mote.y * 2 end }]]
local print_sums = [[
return { after = "update_parts", query = { "mote" }, update = function(q)
  world.run("double")
  local x, y = 0, 0
  for i = 1, q.count do x, y = x + q.mote.x[i], y + q.mote.y[i] end
  print(("%.3f %g"):format(x, y))
end }]]
local function with(precision)
  local source = update_parts:gsub("PRECISION", precision)
  return { systems = { update_parts = source, double = double, print_sums = print_sums } }
end

return {
  title = "single precision supports queries with a `many` component and on-demand systems",
  ticks = 3,
  game = [[
return { start = function()
  for i = 1, 90 do
    local e = world.spawn("mote", { mote = { y = 3 } })
    for k = 1, i % 3 + 1 do e:add("part", { y = k }, "p" .. k) end
  end
end }]],
  modes = { "LuaJIT", "now" },
  prints = { "234.625 540\n", "286.984 1080\n", "304.021 2160\n" },
  variants = { with('precision = "single",'), with("") },
}
