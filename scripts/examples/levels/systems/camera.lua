local HALF_WIDTH, HALF_HEIGHT = 320, 180

local function clamp(v, low, high)
  return low > high and (low + high) / 2 or math.min(math.max(v, low), high)
end

return {
  phase = "post_update",
  query = { "follows", "transform" },
  each = function(e)
    local hero, island = world.find("hero"), world.find("island")
    if hero then
      local size, at = world.tiles(island):size(), e.transform
      local x = clamp(hero.transform.x, HALF_WIDTH, size.columns * size.tile_width - HALF_WIDTH)
      local y = clamp(hero.transform.y, HALF_HEIGHT, size.rows * size.tile_height - HALF_HEIGHT)
      at.x, at.y = at.x + (x - at.x) * e.follows.ease, at.y + (y - at.y) * e.follows.ease
    end
  end,
}
