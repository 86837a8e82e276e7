-- Loops over rows reuse the accessors of entities if the function contains an inner loop. An accessor that a script
-- keeps must still belong to its entity in later rows and ticks, also after the entity's index has been reused.
return {
  title = "a component accessor that a script keeps still belongs to its entity if a loop reuses accessors",
  ticks = 6,
  modes = { "interpreted", "LuaJIT", "on", "now" },
  systems = {
    a_keep = [[
local kept = shoal.cache(function() return {} end)
return { query = { "mote" }, each = function(e)
  local m = e.mote
  for k = 1, 20 + m.a do m.c = m.c + k end
  if kept.last then
    assert(kept.last.n == kept.n and e.mote.n == m.n)
    kept.last.d = kept.last.d + m.n
  end
  kept.last, kept.n = m, m.n
  kept[m.n] = kept[m.n] or m
  assert(kept[m.n].n == m.n)
end }]],
    b_called = [[
local function total(e, m)
  local sum = 0
  for _ in pairs { 1, 2 } do sum = sum + e.mote.n + m.n end
  return sum
end
return { after = "a_keep", query = { "mote" }, each = function(e)
  local m, to = e.mote, e.mote.to
  m.c = total(e, m) % 1000
  if to:alive() then
    local other = to.mote
    for k = 1, 3 do other.d = other.d + k end
    assert(other.n == to.mote.n)
  end
end }]],
    c_reuse = [[
return { after = "b_called", query = { "mote" }, update = function(q)
  if world.tick == 2 then
    for i = 10, 20 do q.entity[i]:destroy() end
  elseif world.tick == 3 then
    for i = 1, 11 do world.spawn("mote", { mote = { n = 2000 + i, a = 4 } }) end
  end
end }]],
  },
}
