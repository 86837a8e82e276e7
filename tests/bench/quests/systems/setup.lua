local subjects = require "lib.subjects"
local VERBS = { "kill", "collect", "visit" }

return {
  phase = "input",
  start = function()
    world.spawn_many("quest", world.single.bench.count, function(q)
      for i = 1, q.count do
        q.quest.verb[i], q.quest.subject[i] = VERBS[i * 7919 % 101 % 3 + 1], subjects[i * 37 % 16 + 1]
        q.quest.need[i] = 3 + i * 91 % 5
      end
    end)
  end,
}
