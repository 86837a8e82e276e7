local values = require "values"
return { after = "a_entities", query = { "source" }, update = function(q)
  values.check("after a_entities")
  for i = 1, q.count do
    q.source.n[i], q.source.m[i] = values.random(), values.random()
  end
end }
