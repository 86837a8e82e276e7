return {
  go_on = { "key:space", "key:return", "mouse:left", "pad:a" },
  up = { "key:up", "pad:dpup" },
  down = { "key:down", "pad:dpdown" },
}
