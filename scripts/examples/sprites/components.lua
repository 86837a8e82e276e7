-- The game's own components: `walker` for the knight, `slime` for the slimes.
return {
  walker = { speed = 46 },
  slime = { seconds = 0, vx = 0, vy = 0, doc = "seconds until it hops again; where it hops" },
}
