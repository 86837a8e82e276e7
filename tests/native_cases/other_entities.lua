-- The last vector of a run of rows may cover rows of other entities, which lack a component of the query.
local MOVE = [[
return { query = { "position", "speed" }, PRECISION update = function(q, dt)
  local position, speed = q.position, q.speed
  for i = 1, q.count do
    position.x[i], position.y[i] = position.x[i] + speed.x[i] * dt, position.y[i] - 1
    speed.level[i] = position.x[i]
  end
end }]]
local START = [[
return { start = function()
  for i = 1, ROWS do world.spawn("moving", { position = { x = i, y = -i }, speed = { x = i % 7 } }) end
  for i = 1, 70 do world.spawn("still", { position = { x = 1000 * i, y = i } }) end
end }]]
local row_counts = { 1, 2, 15, 16, 17, 255, 300, 301 }
if os.getenv("LONG") == "1" then
  for rows = 3, 70 do table.insert(row_counts, rows) end
end
local variants = {}
for i, rows in ipairs(row_counts) do variants[i] = { game = START:gsub("ROWS", rows) } end

return {
  title = "a native system does not change the rows of entities that lack a component of its query",
  ticks = 4,
  modes = { "LuaJIT", "now", "sse2,now", "now,guard" },
  components = [[
local t = shoal.types
return { position = { x = 0, y = t.f64(0) }, speed = { x = 0, level = t.u8(0) } }]],
  assemblages = [[
return { moving = { components = { position = {}, speed = {} } }, still = { components = { position = {} } } }]],
  systems = { double = MOVE:gsub("PRECISION", ""), single = MOVE:gsub("PRECISION", 'precision = "single",') },
  variants = variants,
}
