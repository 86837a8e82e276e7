-- The size of the sky and of its cells. A cell is as wide as the longest line.
local M = { WIDTH = 1280, HEIGHT = 720, REACH = 80 }

M.COLUMNS, M.ROWS = math.ceil(M.WIDTH / M.REACH), math.ceil(M.HEIGHT / M.REACH)

return M
