local comparisons = {} -- comparisons, each of which requires a parameter
for i = 1, 70 do comparisons[i] = ('e.mote.word == "word %d"'):format(i) end
local MANY = ([[
return { query = { "mote" }, %%s, each = function(e)
  if %s then e.mote.x = 1 end
end }]]):format(table.concat(comparisons, " or "))

-- Systems that cannot be compiled completely, each after the message that refuses it.
local REFUSED = {
  '1: precision = "single": cannot compile a body with too many columns or parameters',
  MANY:format('precision = "single"'),
  '1: compile = "required": cannot compile a body with too many columns or parameters',
  MANY:format('compile = "required"'),
  '3: precision = "single": cannot compile world.emit', [[
return { query = { "mote" }, precision = "single", update = function(q)
  for i = 1, q.count do
    if q.mote.x[i] > 3 then world.emit("hit") end
  end
end }]],
  '2: precision = "single": cannot compile world.spawn', [[
return { query = { "mote" }, precision = "single", each = function(e)
  world.spawn("mote")
end }]],
  '2: precision = "single": cannot compile e:destroy', [[
return { query = { "mote" }, precision = "single", each = function(e)
  if e.mote.x > 1 then e:destroy() end
end }]],
  '2: precision = "single": cannot compile a new function', [[
return { query = { "mote" }, precision = "single", each = function(e)
  e.mote.x = (function() return 1 end)()
end }]],
  '1: precision = "single": cannot compile e:add', [[
local function mark(e) e:add("extra") return 1 end
return { query = { "mote" }, precision = "single", each = function(e) e.mote.x = mark(e) end }]],
  '2: precision = "single": cannot compile a call to info', [[
return { query = { "mote" }, precision = "single", each = function(e)
  log.info("%d", e.mote.n)
end }]],
  '2: precision = "single": cannot compile an inner loop that might write an out-of-range number to mote.n', [[
return { query = { "mote" }, precision = "single", each = function(e)
  for k = 1, 3 do e.mote.n = e.mote.n + k end
end }]],
  '3: precision = "single": cannot compile a calculated row number that might not be an integer', [=[
return { query = { "mote" }, precision = "single", update = function(q)
  for i = 1, q.count do
    q.mote.x[i] = q.mote.y[q.mote.d[i] * 2]
  end
end }]=],
  '2: precision = "single": cannot compile a write to mote.word, a string field', [[
return { query = { "mote" }, precision = "single", each = function(e)
  e.mote.word = "far"
end }]],
  '1: precision = "single": cannot compile a function without a loop for i = 1, q.count do', [[
return { query = { "mote" }, precision = "single", update = function(q) q.mote.x[1] = 2 end }]],
  '1: precision must be "single", got text "half"', [[
return { query = { "mote" }, precision = "half", each = function(e) e.mote.x = 1 end }]],
  '2: compile = "required": cannot compile world.emit', [[
return { query = { "mote" }, compile = "required", each = function(e)
  if e.mote.x > 3 then world.emit("hit") end
end }]],
  '1: refused has precision, which applies only to an update or each over a query', [[
return { precision = "single", update = function(dt) end }]],
}
local variants = {}
for i = 1, #REFUSED, 2 do
  local message, source = REFUSED[i], REFUSED[i + 1]
  table.insert(variants, { systems = { refused = source }, messages = { "systems/refused.lua:" .. message } })
end

return {
  title = "a single-precision system that cannot be compiled completely is rejected with its line",
  ticks = 1,
  stops_after = 0,
  status = 1,
  modes = { "on" },
  variants = variants,
}
