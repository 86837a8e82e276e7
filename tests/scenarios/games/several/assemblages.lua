-- Parts, after Entities-Parts: what an entity does is made of several behaviours.
return {
  snail = { components = { transform = {}, script = { file = "behaviours/leg.lua" } } },
  crab = {
    components = {
      transform = {},
      script = { ear = { file = "behaviours/ear.lua" }, leg = { file = "behaviours/leg.lua" } },
    },
  },
}
