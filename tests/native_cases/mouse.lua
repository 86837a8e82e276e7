-- The position and the movement of the mouse are the same for all rows.
return {
  title = "the position and the movement of the mouse are read natively",
  ticks = 3,
  systems = {
    follow = [[
return { query = { "mote" }, update = function(q)
  for i = 1, q.count do
    local x, y = input.mouse()
    q.mote.n[i] = q.mote.n[i] + x + y + input.mouse.dx - input.mouse.dy
  end
end }]],
  },
  explain = { follow = "native, no rows in Lua" },
}
