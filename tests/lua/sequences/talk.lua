return {
  { say = "Hello", who = "Anna" },
  { say = function(e) return "hp " .. e.health.hp end, seconds = 0.1 },
  { name = "ask", choice = { "Yes", { "No", jump = "ask" }, { "Never", call = function(e)
    e.health.hp = -1
  end, jump = "never" } }, say = "Really?", who = "Anna" },
  { call = function(e) e.health.hp = 1 end },
  { label = "never" },
  { all = { { say = "one" }, { say = "two" } } },
}
