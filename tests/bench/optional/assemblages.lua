return {
  thing = { components = { thing = {} } },
  burning = { components = { thing = {}, burning = {} } },
  shielded = { components = { thing = {}, burning = {}, shield = {} } },
}
