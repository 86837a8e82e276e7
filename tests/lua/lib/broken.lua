local M = {}
M.value = nothing_there.value -- luacheck: ignore 113
return M
