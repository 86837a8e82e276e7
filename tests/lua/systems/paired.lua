-- Queries over pairs whose target is given by an entity name or by a field of a singleton; for cases/relation.lua.
return {
  after = "suite",
  queries = { called = { "paired", likes = "the darling" }, chosen = { "paired", likes = "chosen.one" },
    both = { "paired", likes = { "the darling", "chosen.one" } } },
  update = function(q)
    for i = 1, q.called.count do
      q.called.paired.called[i] = q.called.paired.called[i] + q.called.likes.strength[i]
    end
    for i = 1, q.chosen.count do
      q.chosen.paired.chosen[i] = q.chosen.paired.chosen[i] + 1
    end
    world.single.chosen.both = q.both.count
  end,
}
