-- Components of the menu: motion of a fish, a tile of the shelf, and what the menu shows.
local t = shoal.types
return {
  swim = { speed = 60, phase = 0 },
  tile = { delay = 0 }, -- seconds by which its moving picture is late, so that the tiles do not move in step
  shown = t.single { page = "", folder = "" }, -- the open page, and the folder of the selected game
}
