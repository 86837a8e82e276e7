-- A game that edits its own files: at ticks 10, 20 and 30 it runs edit.sh, which the tests write to the game's folder,
-- and reloads.
return {
  title = "Edited",
  native = true,
  start = function()
    world.spawn_many("thing", 20)
    world.spawn("thing", { name = "first" })
    world.spawn(nil, { name = "old grave", grave = { depth = 7.5, width = 4 } })
    world.spawn(nil, { name = "new grave", grave = {} })
  end,
}
