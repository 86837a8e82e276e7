-- Moves walkers, which stop at solid tiles. Horizontal and vertical movement are tested separately, so walkers slide
-- along walls.
local SIDE, FOOT = 4, 6 -- half the width of a walker, and the distance from its centre to its feet, in pixels

local function is_free(tiles, x, y)
  local column, row = math.floor(x / 16) + 1, math.floor(y / 16) + 1
  return not tiles:solid(column, row)
end

local function can_stand(tiles, x, y)
  return is_free(tiles, x - SIDE, y + FOOT) and is_free(tiles, x + SIDE, y + FOOT)
end

return {
  after = { "wander" },
  query = { "walk", "transform", "sprite" },
  each = function(e, dt)
    local tiles, at, walk = world.tiles(world.find("island")), e.transform, e.walk
    local x, y = at.x + walk.x * walk.speed * dt, at.y + walk.y * walk.speed * dt
    if can_stand(tiles, x, at.y) then at.x = x end
    if can_stand(tiles, at.x, y) then at.y = y end
    local moves = walk.x ~= 0 or walk.y ~= 0
    e.sprite.frame = moves and math.floor(world.time * 8) % 4 + 1 or 1
    if walk.x ~= 0 then e.sprite.flip = walk.x < 0 end
  end,
}
