-- Makes the flames flicker. e.mesh.flame is the instance `flame` of the component `mesh`.
return {
  query = { "rocket", "mesh" },
  each = function(e)
    local long = 0.45 + 0.3 * world.random()
    e.mesh.flame.size.y = long
    e.mesh.flame.offset.y = -0.36 - long / 2
  end,
}
