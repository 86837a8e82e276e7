-- Dimensions and colours: left side (-1), neutral (0), right side (1).
local colours = { [-1] = { 0.22, 0.88, 1, 1 }, [0] = { 1, 1, 1, 1 }, [1] = { 1, 0.31, 0.64, 1 } }

return { width = 1280, height = 720, wall = 24, paddle_x = 560, paddle_height = 116, ball = 11, colours = colours,
  names = { [-1] = "Blue", [1] = "Pink" } }
