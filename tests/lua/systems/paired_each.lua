-- The same, one by one and as machine code where there are many; for cases/relation.lua.
return {
  after = "paired",
  query = { "paired", likes = "chosen.one" },
  each = function(e, dt)
    e.paired.each = e.paired.each * 0.5 + e.paired.number
  end,
}
