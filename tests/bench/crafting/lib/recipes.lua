return {
  plank = { ticks = 10, needs = { { "wood", 2 } } },
  nail = { ticks = 8, needs = { { "iron", 1 } } },
  rope = { ticks = 12, needs = { { "fibre", 3 } } },
  crate = { ticks = 20, needs = { { "wood", 2 }, { "iron", 1 }, { "fibre", 1 } } },
}
