-- The field and its colours.
return {
  width = 1280, height = 720, wall = 24, paddle_x = 560, paddle_height = 116, ball = 11,
  left = { 0.22, 0.88, 1, 1 }, right = { 1, 0.31, 0.64, 1 }, white = { 1, 1, 1, 1 },
  names = { [-1] = "Blue", [1] = "Pink" },
}
