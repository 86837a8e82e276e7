local t = shoal.types

return {
  fired = { ship = t.entity, number = 0 },
  hit = { ship = t.entity, bullet = t.entity, damage = 0 },
}
