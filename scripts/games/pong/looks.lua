-- Dimensions in pixels, and the colours of the two sides (-1 left, 1 right) and of everything neutral (0).
local colours = { { 0.22, 0.88, 1, 1 }, { 1, 1, 1, 1 }, { 1, 0.31, 0.64, 1 } }

-- `side` is shifted so that indices start at 1: LuaJIT does not compile t[i] with a negative i if t also has an array
-- part.
local function get_colour(side) return colours[side + 2] end

return { width = 1280, height = 720, wall = 24, paddle_x = 560, paddle_height = 116, ball = 11, colour = get_colour,
  gold = { 1, 0.84, 0.32, 1 }, -- colour of stars, charged paddles and smashes
  names = { [-1] = "@names.blue", [1] = "@names.pink" } }
