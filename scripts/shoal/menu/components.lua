-- Components of the menu: motion of a fish, a tile of the shelf, the menu's state, and matches.
local t = shoal.types
return {
  swim = { speed = 60, phase = 0 },
  tile = { delay = 0 }, -- delay: offset of the tile's moving picture in seconds, so that the tiles do not move in step
  -- The open page, the folder of the selected game, and the message of the previous game until a page shows it.
  shown = t.single { page = "", folder = "", message = "" },
  found = t.single { addresses = "", titles = "" }, -- matches in the list, one per line
}
