-- The game's own components and the defaults of their fields.
-- Shoal's components (transform, light, …) are built in.
return {
  spark = { speed = 340 },
}
