-- An endless loop within a row falls back to Lua, where the budget stops it and reports its line, however slow one
-- iteration is. The resulting world must be the same as without native code.
local SPIN = [[
return {
  query = { "mote" },
  update = function(q)
    for i = 1, q.count do
      local s = 0
      for k = 1, q.mote.c[i], q.mote.d[i] + 1 do s = BODY end
      q.mote.a[i] = s
    end
  end,
  start = function()
    local mote = world.query({ "mote" }).entity[200].mote
    mote.c, mote.d = LAST, STEP - 1
  end,
}]]
local function spin(last, step, body)
  return { systems = { spin = SPIN:gsub("LAST", last):gsub("STEP", step):gsub("BODY", body) } }
end

local slow = "s"
for n = 1, 30 do slow = slow .. (" + math.sin(k * 0.%d) * math.pow(s, 1.%d)"):format(n, n) end

return {
  title = "the time budget stops an endless loop within a row",
  ticks = 2,
  modes = { "LuaJIT", "now" },
  options = "--budget 400",
  status = 1,
  messages = { "systems/spin.lua:6: stopped after 400 ms" },
  variants = { spin("1e18", "1", "s + k"), spin("2", "0", "s + k"), spin("1e18", "1", slow) },
}
