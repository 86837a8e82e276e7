local t = shoal.types
return {
  happened = { verb = t.enum { "kill", "collect", "visit" }, subject = t.string },
  quest_completed = { quest = t.entity, subject = t.string },
}
