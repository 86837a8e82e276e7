-- A sequence that random calls start by its name, "intro".
return {
  { all = { { say = "text" }, { { wait = 0.02 }, { choice = { "a", "b" } } } } },
  { label = "again" },
  { wait = 0.02 },
  { jump = "again", times = 3 },
}
