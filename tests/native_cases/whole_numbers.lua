-- Whole numbers that f64 cannot distinguish, and nested conditions, whose naive analysis takes exponential time.
local conditions = {}
for k = 1, 18 do
  local condition = [[
local a, b, tK = false, false, false
if tPREVIOUS then a = m.b[i] > K end
if tPREVIOUS then b = m.c[i] < K end
if a then tK = b end]]
  conditions[k] = condition:gsub("PREVIOUS", k - 1):gsub("K", k)
end

return {
  title = "native code rounds whole numbers like Lua, and deeply nested conditions are compiled",
  ticks = 3,
  systems = {
    rounded = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    local odd = q.mote.flag[i] and 1 or 0
    q.mote.n[i] = (odd + 9007199254740992) - 9007199254740992
  end
end }]],
    conditions = [[
return { query = { "mote" }, update = function(q, dt)
  for i = 1, q.count do
    local m, t0 = q.mote, q.mote.a[i] > 1
    ]] .. table.concat(conditions, "\n") .. "\n" .. [[
    if t18 then m.n[i] = math.max(0, math.min(m.n[i] - 3, 100)) end
  end
end }]],
  },
  explain = { rounded = "native", conditions = "native" },
}
