-- What systems tell each other, and what buttons say.
local t = shoal.types
return {
  go = { to = t.string "title" },
  burst = { kind = t.string "chip", x = 0, y = 0, row = t.i32(1), frame = t.i32(1), points = t.i32(0) },
  play = {}, options = {}, quit = {}, resume = {}, leave = {},
}
