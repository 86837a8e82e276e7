-- A query as in paired.lua, with `each`, which runs natively for many rows; for cases/relation.lua.
return {
  after = "paired",
  query = { "paired", likes = "chosen.one" },
  each = function(e, dt)
    e.paired.each = e.paired.each * 0.5 + e.paired.number
  end,
}
