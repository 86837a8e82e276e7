return {
  bullet = { components = { bullet = {}, transform = {}, motion = {}, shape = { radius = 3 },
    lifetime = { seconds = 0.1 } } },
  spark = { components = { transform = {}, motion = {}, emitter = {}, lifetime = { seconds = 0.1 } } },
  piece = { components = { transform = {}, motion = {}, shape = { points = "0,0 1,1" },
    lifetime = { seconds = 0.1 } } },
}
