-- Functions for the appearance of invaders and letters.
local looks = assets.json "looks.json"
local M = {}

-- Returns the colour of a row of invaders (1 to 5) in a wave; the colours shift by one row each wave.
function M.row_colour(row, wave) return looks.row_colours[(row + wave) % 5 + 1] end

-- Returns the colour of the mother ship of a wave.
function M.boss_colour(wave) return looks.boss_colours[(wave / looks.boss_every - 1) % #looks.boss_colours + 1] end

-- Grows an entity to its full size within `seconds`, starting after `delay` seconds (default 0). Returns the entity.
function M.grow(e, seconds, ease, delay)
  world.tween(e, "transform.scale_x", 1, seconds, ease, { delay = delay })
  world.tween(e, "transform.scale_y", 1, seconds, ease, { delay = delay })
  return e
end

return M
