local probe = require("lib.probe")
return {
  probed = {
    components = { transform = {}, poise = {} },
    states = {
      initial = "alive",
      alive = { marker = function() probe("state") return { value = 2 } end },
    },
  },
}
