-- The game's own components, with the defaults of their fields. Shoal's components (transform, light, …) are built in.
return {
  spark = { speed = 340 },
}
