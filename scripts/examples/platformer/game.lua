-- A platformer out of the kit: a map from Tiled whose tiles are solid, one-way or slopes, movers, a camera that
-- follows, clips, and materials. Arrows walk, space jumps; left alone the knight finds his way by himself.
return {
  title = "Platformer",
  width = 320,
  height = 180,
  window = { width = 1280, height = 720, filter = "pixels" },
  start = function()
    local land = world.spawn(nil, { name = "land", transform = {}, tilemap = { map = "hills.tmj" } })
    local size = world.tiles(land):size()
    world.spawn("eye", { name = "eye", follow = { right = size.columns * size.tile_width,
      bottom = size.rows * size.tile_height } })
  end,
}
