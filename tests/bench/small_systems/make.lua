-- luajit make.lua FOLDER COUNT FORM: writes a game of COUNT systems over the same ten entities, each with its own body
-- in the form `each` or `update`. Run by tests/bench/run; plain/small_systems.c and plain_lua.lua do the same.
local folder, count, form = arg[1], tonumber(arg[2]), arg[3]

local BODIES = {
  each = "each = function(e, dt) e.mass.x = e.mass.x + e.mass.v * dt end",
  update = "update = function(q, dt) local x, v = q.mass.x, q.mass.v "
    .. "for i = 1, q.count do x[i] = x[i] + v[i] * dt end end",
}

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text, "\n")
  file:close()
end

os.execute(("rm -rf '%s' && mkdir -p '%s/systems'"):format(folder, folder))
write("game.lua", "return { title = \"Benchmark: small systems\", tick_rate = 64 }")
write("components.lua", "return { mass = { x = 0, v = 1 }, bench = shoal.types.single { last = shoal.types.i32(-1) } }")
write("assemblages.lua", "return { mass = { components = { mass = {} } } }")
write("systems/a_setup.lua", [[
return {
  phase = "input",
  start = function()
    for i = 1, 10 do world.spawn("mass", { mass = { v = i % 2 + 1 } }) end
  end,
}]])
for i = 1, count do
  write(("systems/s%04d.lua"):format(i), ("return { query = { \"mass\" }, %s }"):format(BODIES[form]))
end
write("systems/z_check.lua", [[
return {
  phase = "post_update",
  query = { "mass" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local x = 0
    for i = 1, q.count do x = x + q.mass.x[i] end
    print(("check x %.17g"):format(x))
  end,
}]])
