-- Returns a bullet assemblage with this lifetime in ticks, which determines the number of bullets in flight.
local function living(ticks)
  return { is = "bullet", components = { lifetime = { seconds = ticks / 64 } } }
end

return {
  ship = {
    components = {
      transform = {}, motion = {}, health = {}, gun = {}, shape = { kind = "circle", radius = 16 },
      body = { radius = 16, category = 1, mask = 2 },
    },
  },
  bullet = {
    components = {
      transform = {}, motion = {}, lifetime = {}, shape = { kind = "circle", radius = 4, colour = "#ffcc44" },
      body = { radius = 4, category = 2, mask = 1 },
    },
  },
  bullet_10000 = living(5),
  bullet_17500 = living(9),
  bullet_32000 = living(16),
}
