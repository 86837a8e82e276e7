-- A row that writes a layer by its name falls back to Lua; an unknown name is an error.
local write_layers = [[
return { query = { "body", "transform" }, update = function(q)
  for i = 1, q.count do
    local x = q.transform.x[i] + 0.5
    q.transform.x[i] = x
    if x % 50 == 0 then q.body.mask[i] = "foe" elseif x % 50 == 25 then q.body.category[i] = { "hero", "shot" } end
  end
end }]]
return {
  title = "a native loop can write collision layers by name",
  ticks = 3,
  game = [[
return { layers = { "hero", "foe", "shot" }, start = function()
  for i = 1, 300 do world.spawn(nil, { transform = { x = i }, body = { radius = 1, enabled = false } }) end
end }]],
  variants = {
    {
      systems = {
        write_layers = write_layers,
        sum = [[
return { phase = "post_update", update = function()
  local sum = 0
  for e in world.each("body") do sum = sum + (e.body.mask == 2 and 1000 or e.body.category == 5 and 1 or 0) end
  print("sum", sum)
end }]],
      },
      prints = { "sum\t6006" },
      explain = { write_layers = "native, some rows in Lua" },
    },
    {
      systems = { write_layers = write_layers:gsub("foe", "feo") },
      modes = { "LuaJIT", "now" },
      status = 1,
      messages = { "systems/write_layers.lua:5: body.mask: unknown layer feo: did you mean foe?" },
    },
  },
}
