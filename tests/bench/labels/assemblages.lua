return {
  board = { components = { panel = { layout = "column", style = "plain", keys = false } } },
  row = { components = { panel = { layout = "row", style = "plain", keys = false } } },
  status = { components = { label = {}, status = {} } },
  note = { components = { label = {}, note = {} } },
}
