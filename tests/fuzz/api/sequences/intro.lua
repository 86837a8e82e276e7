-- The target of calls with "intro".
return {
  { all = { { say = "text" }, { { wait = 0.02 }, { choice = { "a", "b" } } } } },
  { label = "again" },
  { wait = 0.02 },
  { jump = "again", times = 3 },
}
