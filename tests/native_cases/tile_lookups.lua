-- Tiles are looked up in each row. A tile set by a row is seen by the next row, and an entity without a tilemap is
-- reported as in Lua.
local walk = [[
return {
  query = { "mote" },
  start = function()
    for _, name in ipairs { "near", "far" } do world.spawn("room", { name = name }) end
  end,
  each = function(e)
    local m, tiles = e.mote, world.tiles(world.find("near"))
    if tiles:solid(m.a, m.b) then m.n = m.n % 1000 + 1 end
    if not tiles:solid(m.a - 0.5, 1 / (m.b - 1)) and tiles:solid(0 / 0, m.a) == m.flag then m.c = m.c + m.a end
    if m.a == 2 and m.b == 3 then
      world.emit("hit", { n = m.a })
      tiles:set("ground", 1 + m.n % 4, 1 + m.n % 3, m.n % 4)
    end
  end,
}]]
local choose = [[
return { after = "walk", query = { "mote" }, each = function(e)
  local m = e.mote
  m.to = m.flag and world.find("near") or world.find("far")
  m.d = m.d + (world.tiles(m.to):solid(m.b, m.a / 2) and 1 or 0.5)
  for k = 1, 4 do
    if world.tiles(m.to):solid(k, m.b) then m.position.x = m.position.x + k end
  end
  if m.a == 6 and m.b == 4 and world.tick % 2 == 0 then world.find("far").tilemap.map = "room.tmj" end
end }]]
local without_tilemap = [[
return { query = { "mote" }, each = function(e) e.mote.d = world.tiles(e.mote.to):solid(1, 1) and 1 or 2 end }]]
return {
  title = "tile lookups run natively and report the same error as in Lua",
  ticks = 5,
  assemblages = [[
return {
  mote = { components = { mote = {} } },
  room = { components = { transform = {}, tilemap = { map = "room.tmj" } } },
}]],
  assets = "tests/native/assets",
  variants = {
    { systems = { walk = walk, choose = choose }, explain = { walk = "native", choose = "native" } },
    {
      systems = { walk = walk, without_tilemap = without_tilemap },
      modes = { "LuaJIT", "now" },
      status = 1,
      messages = { "systems/without_tilemap.lua:1: world.tiles: " },
    },
  },
}
