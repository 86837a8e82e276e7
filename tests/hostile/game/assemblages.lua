return {
  rock = { components = { transform = {}, health = {}, label = {} } },
  turret = { components = { transform = {} } },
  tank = {
    components = { transform = {}, name = {}, gun = { left = {}, right = {} }, aim = {}, mood = {} },
    children = { turret = { is = "turret" } },
    states = { initial = "alive", alive = { health = {} }, dying = { frozen = {} } },
  },
}
