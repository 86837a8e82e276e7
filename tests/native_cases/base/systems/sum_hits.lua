-- Makes the order of the emitted events visible in the world's hash.
return { on = { hit = function(ev)
  for i = 1, ev.count do world.single.hits.sum = world.single.hits.sum * 0.5 + ev.n[i] end
end } }
