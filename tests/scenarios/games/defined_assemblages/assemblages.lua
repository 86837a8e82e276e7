return {
  body = { components = { transform = {}, place = {}, look = { name = "a body" } } },
  nest = { is = "body", children = { egg = { components = { look = { name = "egg" } } } } },
  moody = {
    is = "body",
    states = {
      initial = "calm",
      calm = { look = { mood = "calm" } },
      angry = { look = { mood = "angry" }, shield = {} },
    },
  },
}
