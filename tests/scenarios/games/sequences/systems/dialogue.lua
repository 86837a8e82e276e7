-- Answers dialogue lines after a random time, and counts lines and finished sequences.
return {
  query = { "saying", "actor" },
  on = {
    sequence_ended = function(ev)
      local heard = world.single.heard
      for i = 1, ev.count do
        heard.ends = heard.ends + 1
        heard.sum = heard.sum + #ev.sequence[i] + (ev.entity[i]:alive() and ev.entity[i].actor.calls or 0)
      end
    end,
  },
  update = function(q)
    for i = 1, q.count do
      if world.random(12) == 1 then
        local said = q.entity[i].saying
        world.single.heard.said = world.single.heard.said + 1
        world.single.heard.sum = world.single.heard.sum + #said.text + #said.who
        q.entity[i]:answer(said.choices ~= "" and world.random(3) or nil)
      end
    end
  end,
}
