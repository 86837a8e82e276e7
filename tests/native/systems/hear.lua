-- In which order rows have said something.
return { on = { heard = function(ev)
  local tally = world.single.tally
  for i = 1, ev.count do
    tally.heard = tally.heard * 0.5 + ev.n[i]
  end
end } }
