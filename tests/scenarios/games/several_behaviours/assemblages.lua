-- Entities composed of several behaviours, as in the article Entities-Parts.
return {
  snail = { components = { transform = {}, leg = {} } },
  crab = {
    components = {
      transform = {},
      ear = {}, leg = {},
    },
  },
}
