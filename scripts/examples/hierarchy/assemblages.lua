-- Returns an arm: an entity at its parent's position that rotates. The moon or planet at its end is its child.
local function create_arm(rate, radius, body)
  return {
    is = "arm",
    components = { turning = { rate = rate }, orbit = { radius = radius } },
    children = { body = body },
  }
end

return {
  eye = { components = { transform = { x = 640, y = 382 },
    camera = { zoom = 0.92, bloom = 0.6, background = { 0.01, 0.01, 0.025, 1 } } } },
  arm = { components = { transform = {}, turning = {}, orbit = {} } },
  ball = { components = { transform = {}, shape = {} } },
  moon = { is = "ball", components = { transform = { x = 34 },
    shape = { radius = 4, colour = { 0.8, 0.8, 0.85, 1 } } } },
  far_moon = { is = "moon", components = { transform = { x = 54 },
    shape = { radius = 6, colour = { 0.7, 0.75, 0.6, 1 } } } },

  mercury = { is = "ball", components = { transform = { x = 95 },
    shape = { radius = 7, colour = { 0.75, 0.6, 0.5, 1 } } } },
  earth = {
    is = "ball",
    components = { transform = { x = 175 }, shape = { radius = 13, colour = { 0.25, 0.6, 1, 1 } } },
    children = { moon = create_arm(2.6, 34, { is = "moon" }) },
  },
  jupiter = {
    is = "ball",
    components = { transform = { x = 290 }, shape = { radius = 24, colour = { 0.95, 0.65, 0.35, 1 } } },
    children = { near = create_arm(3.1, 34, { is = "moon" }), far = create_arm(-1.3, 54, { is = "far_moon" }) },
  },
  sun = {
    is = "ball",
    components = { transform = { x = 640, y = 360, scale_y = 1 },
      shape = { radius = 46, colour = { 1, 0.85, 0.35, 1 } } },
    children = {
      first = create_arm(1.1, 95, { is = "mercury" }),
      second = create_arm(0.6, 175, { is = "earth" }),
      third = create_arm(0.27, 290, { is = "jupiter" }),
    },
  },
}
