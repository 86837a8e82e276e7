-- The same with `each`, run natively if there are many rows; for cases/relation.lua.
return {
  after = "paired",
  query = { "paired", likes = "chosen.one" },
  each = function(e, dt)
    e.paired.each = e.paired.each * 0.5 + e.paired.number
  end,
}
