return {
  unit = {
    components = {
      place = { y = 1 }, speed = { y = 2 }, tint = { r = 1, g = 0.5, a = 1 },
      hull = { hp = 100, max = 100, armour = 3 },
      weapon = { damage = 5, interval = 0.5 }, brain = { state = 1, wait = 2 }, cargo = { kind = 4, amount = 20 },
      value = { points = 50, gold = 7 },
    },
  },
}
