return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.13, 0.055, 0.05, 1 } } } },
  starling = {
    components = {
      transform = {}, flight = {}, findable = {}, neighbours = { radius = 34 },
      shape = { kind = "polygon", points = "6,0 -4,3.4 -2,0 -4,-3.4", colour = { 1, 0.8, 0.5, 1 } },
    },
  },
  hawk = {
    components = {
      transform = {}, hawk = {},
      shape = { kind = "polygon", points = "15,0 -9,11 -4,0 -9,-11", colour = { 1, 0.25, 0.12, 1 }, layer = 1 },
    },
  },
}
