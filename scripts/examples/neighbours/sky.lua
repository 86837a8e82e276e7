-- How large the sky is, and how it is cut into cells as wide as a line is long.
local M = { WIDTH = 1280, HEIGHT = 720, REACH = 80 }

M.COLUMNS, M.ROWS = math.ceil(M.WIDTH / M.REACH), math.ceil(M.HEIGHT / M.REACH)

return M
