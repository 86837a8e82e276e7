return {
  agent = {
    components = { transform = {}, agent = {} },
    states = {
      initial = "idle",
      idle = { idling = { left = 0.5 } },
      walk = { walking = { left = 1 } },
      eat = { eating = { left = 0.75 } },
      sleep = { sleeping = { left = 1.25 } },
    },
  },
}
