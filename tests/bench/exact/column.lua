-- Creates a system that fills a column with `expression` of f, x[i] and y[i]. Each system is loaded from its own
-- source, because functions that share a prototype also share LuaJIT's compiled traces.
local CODE = [[
local name, f, check = ...
return { query = { "number" }, update = function(q)
  local x, y, out = q.number.x, q.number.y, q.number.out
  for i = 1, q.count do
    out[i] = EXPRESSION
  end
  check(name, q)
end }
]]

-- Prints the sum in the last tick.
local function check(name, q)
  if world.tick ~= world.single.bench.last then return end
  local out, sum = q.number.out, 0
  for i = 1, q.count do
    sum = sum + out[i]
  end
  print(("check %s %.17g"):format(name, sum))
end

return function(name, expression)
  local code = CODE:gsub("EXPRESSION", expression)
  return assert(load(code, "=" .. name))(name, math[name], check)
end
