return {
  { say = "Hello", who = "Anna", seconds = 0.2 },
  { say = function(e) return "I have called " .. e.actor.calls .. " times" end },
  { name = "question", choice = { { "Again", jump = "question" }, "On", { "Dance", call = function(e)
    e.actor.calls = e.actor.calls + 10
  end } }, say = "And now?" },
  { all = { { say = "First" }, { { wait = 0.1 }, { say = "Second" } } } },
  { call = function(e) e:sequence("dance") end },
  { call = function() error("another sequence is going on") end },
}
