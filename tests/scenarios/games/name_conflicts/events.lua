return {
  path_ended = { cells = 1 }, tween_ended = { value = 1 }, sequence_ended = { why = 3 },
  pressed = { by = shoal.types.entity }, rang = {},
}
