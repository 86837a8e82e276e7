-- Plants a flower at the hero's position. A cell that is set with tiles:set is part of the world: it is saved and
-- rewound, and it remains when the map is reloaded.
local FLOWERS = { 69, 71, 73 } -- tile numbers in the tileset, counted from 1

return {
  query = { "intent", "transform" },
  each = function(e)
    if e.intent.plant then
      local tiles = world.tiles(world.find("island"))
      local x, y = math.floor(e.transform.x / 16) + 1, math.floor((e.transform.y + 6) / 16) + 1
      tiles:set("things", x, y, FLOWERS[world.random(3)])
    end
  end,
}
