return { plant = { "mouse:left" },
  save_one = { "key:1", "pad:dpleft" }, save_two = { "key:2", "pad:dpup" }, save_three = { "key:3", "pad:dpright" },
  load_one = { "key:q", "pad:x" }, load_two = { "key:w", "pad:y" }, load_three = { "key:e", "pad:b" } }
