-- A level from Tiled: assets/island.tmj. Its layers of tiles are drawn behind and before the entities, its objects
-- become entities, and both follow when the map is saved in the editor. The shadows of clouds are an image with
-- parallax. Arrows or WASD walk, space plants flowers.
return {
  title = "Levels: an island from Tiled",
  width = 640,
  height = 360,
  window = { width = 1280, height = 720, filter = "pixels" },
  start = function()
    local island = world.spawn(nil, { name = "island", transform = {}, tilemap = { map = "island.tmj" } })
    local size = world.tiles(island):size()
    world.spawn("eye", { follow = { right = size.columns * size.tile_width, bottom = size.rows * size.tile_height } })
  end,
}
