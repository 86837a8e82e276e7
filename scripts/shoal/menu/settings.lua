-- The place in the menu, which is kept while a game runs and between runs: the page, and the selected tile and example.
local t = shoal.types
return { page = t.string "shelf", tile = t.string "asteroids", example = t.string "" }
