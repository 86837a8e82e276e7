return { plant = { "mouse:left" }, save_one = { "key:1" }, save_two = { "key:2" }, save_three = { "key:3" },
  load_one = { "key:q" }, load_two = { "key:w" }, load_three = { "key:e" } }
