-- A level from Tiled: assets/island.tmj. Its tile layers are drawn behind and in front of entities, and its objects
-- become entities; both are updated when you save the map in the editor. The cloud shadows are an image layer with
-- parallax. Walk with the arrow keys or WASD, plant flowers with Space.
return {
  title = "Levels: an island from Tiled",
  width = 640,
  height = 360,
  addons = { "caption" },
  window = { width = 1280, height = 720, filter = "pixels" },
  start = function()
    local island = world.spawn(nil, { name = "island", transform = {}, tilemap = { map = "island.tmj" } })
    local size = world.tiles(island):size()
    world.spawn("eye", { follow = { right = size.columns * size.tile_width, bottom = size.rows * size.tile_height } })
  end,
}
