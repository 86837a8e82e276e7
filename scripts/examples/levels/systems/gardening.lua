-- A flower where the hero stands. It is the world's from then on: saved, rewound, and there still when the map is saved
-- in the editor.
local FLOWERS = { 69, 71, 73 } -- their numbers in the tileset, from 1

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
