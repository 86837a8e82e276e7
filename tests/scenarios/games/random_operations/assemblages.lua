return {
  rock = { components = { transform = {}, motion = { vx = 20 }, health = {}, body = { radius = 5 } } },
  pebble = { is = "rock", components = { motion = { vy = 5 } }, without = { "health" } },
  tank = {
    components = { transform = {}, health = { hp = 7 }, gun = { left = { heat = 1 }, right = {} } },
    children = { turret = { components = { transform = { y = 8 } } } },
    states = {
      initial = "alive",
      alive = { motion = { vx = 3 }, burning = {} },
      dying = { lifetime = { seconds = 0.2 }, motion = {} },
    },
  },
  guarded = { components = { transform = {}, motion = {}, guard = {} } },
}
