local t = shoal.types
local components = {
  data = { z = 0 },
  bench = t.single { count = t.i32(2600), last = t.i32(99) }, -- set by tests/bench/run
}
for i = 1, 26 do components["part" .. i] = { value = 0 } end
return components
