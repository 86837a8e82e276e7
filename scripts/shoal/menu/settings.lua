-- The menu's state, which is kept while a game runs and between runs: the page, the selected tile and example, whether
-- the page for matches is open, and the last addresses and the last room on that page.
local t = shoal.types
return { page = t.string "shelf", tile = t.string "asteroids", example = t.string "", together = false,
  address = t.string "", world = t.string "", room = t.string "" }
