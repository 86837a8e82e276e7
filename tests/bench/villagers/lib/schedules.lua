-- Schedules: the activities of each job, with the hours at which they start.
return {
  farmer = { { 0, "sleep" }, { 5, "work" }, { 12, "eat" }, { 13, "work" }, { 18, "drink" }, { 21, "sleep" } },
  smith = { { 0, "sleep" }, { 7, "work" }, { 12, "eat" }, { 13, "work" }, { 19, "drink" }, { 23, "sleep" } },
  guard = { { 0, "work" }, { 6, "sleep" }, { 14, "eat" }, { 15, "drink" }, { 18, "work" } },
  priest = { { 0, "sleep" }, { 4, "work" }, { 11, "eat" }, { 12, "work" }, { 20, "sleep" } },
}
