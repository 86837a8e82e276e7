-- Parts, after Entities-Parts: what an entity does is made of several behaviours.
return {
  snail = { components = { transform = {}, leg = {} } },
  crab = {
    components = {
      transform = {},
      ear = {}, leg = {},
    },
  },
}
