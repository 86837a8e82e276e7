return {
  left = { "key:left", "key:a" }, right = { "key:right", "key:d" }, up = { "key:up", "key:w" },
  down = { "key:down", "key:s" },
  drag = { "mouse:left" },
}
