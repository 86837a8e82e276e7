-- Runs before the systems that destroy entities, so that its `leave` is called one tick later.
return {
  priority = -100,
  query = { "age", "transform" },
  leave = function(e)
    local tally = world.single.tally
    tally.deaths, tally.sum = tally.deaths + 1, tally.sum + e.age.ticks * e.transform.x
    tally.words = e:assemblage() .. " " .. e:name()
    world.spawn(e:assemblage(), { transform = { x = e.transform.x / 2 }, name = { value = "after " .. e.age.limit } })
  end,
}
