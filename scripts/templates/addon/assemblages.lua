-- Templates for entities. A game spawns them by their full names: world.spawn "thing.spinner".
return {
  spinner = { components = { transform = {}, spin = {}, shape = { kind = "rect", width = 80, height = 80,
    colour = "#4fc3ff" } } },
}
