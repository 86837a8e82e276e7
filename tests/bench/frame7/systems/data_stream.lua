-- Draws the random number of each row: the part of the data system that uses bit operations.
local advance = require("lib.rules").advance

return {
  after = "data",
  query = { "data" },
  update = function(q)
    local s0, s1, s2, s3, numgy = q.data.s0, q.data.s1, q.data.s2, q.data.s3, q.data.numgy
    for i = 1, q.count do
      numgy[i] = advance(s0, s1, s2, s3, i)
    end
  end,
}
