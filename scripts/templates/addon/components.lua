-- The data that entities can have. In other folders, these components are named thing.spin and thing.total.
local t = shoal.types
return {
  spin = { speed = 1.5, doc = "turns the entity; speed in radians per second" },
  total = t.single { turns = 0, doc = "turns of all entities in total" },
}
