-- Detects the order in which rows emitted events.
return { on = {
  heard = function(ev)
    local tally = world.single.tally
    for i = 1, ev.count do
      tally.heard = tally.heard * 0.5 + ev.n[i]
    end
  end,
  said = function(ev)
    local tally = world.single.tally
    for i = 1, ev.count do
      tally.heard = tally.heard * 0.5 + ev.k[i] + #ev.word[i] + (ev.on[i] and 7 or 0)
      tally.who = ev.who[i]
    end
  end,
} }
