-- A platformer: a map from Tiled with solid tiles, one-way tiles and slopes, movers, a camera that follows the hero,
-- clips and materials. Walk with the arrow keys, jump with Space. Without input, the knight plays by himself.
return {
  title = "Platformer",
  width = 320,
  height = 180,
  addons = { "caption" },
  window = { width = 1280, height = 720, filter = "pixels" },
  layers = { "hero", "slime", "treasure" }, -- collision layers; treasure: coins and the goal
  start = function()
    local land = world.spawn(nil, { name = "land", transform = {}, tilemap = { map = "hills.tmj" } })
    local size = world.tiles(land):size()
    world.spawn("eye", { name = "eye", follow = { right = size.columns * size.tile_width,
      bottom = size.rows * size.tile_height } })
  end,
}
