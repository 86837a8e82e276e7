return {
  of_old = { components = { place_of_old = { n = 4, pace = 6 }, probe = { seen = 2 } } },
  less_than_of_old = { is = "of_old", components = { health = {} }, without = { "place_of_old" } },
  rock = { components = { transform = { x = 1 }, motion = { vx = 20 }, health = {} } },
  pebble = { is = "rock", components = { motion = { vy = 5 } }, without = { "health" } },
  vehicle = { components = { transform = {}, health = { hp = 7 } } },
  tank = {
    is = "vehicle",
    components = { gun = { left = { heat = 1 }, right = {} } },
    children = { turret = { components = { transform = { y = 8 } } } },
    states = {
      initial = "alive",
      alive = { motion = { vx = 3 }, burning = {} },
      dying = { lifetime = { seconds = 2 }, motion = { vx = 9 } },
    },
  },
  heavy_tank = {
    is = "tank",
    components = { gun = { left = { cooldown = 9 }, rear = { heat = 2 } } },
    states = { initial = "alive", alive = { motion = { vx = 1 } }, stuck = { frozen = {} } },
  },
  prober = { components = { transform = {}, probe = {} } },
  short = { components = { label = "hello", burning = {}, frozen = {} } },
  bare_parent = {
    components = { health = {} },
    children = { left = { components = { label = "l" } }, right = { is = "pebble" } },
  },
  both = { is = { "rock", "vehicle" } },
}
