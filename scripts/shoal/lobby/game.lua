-- The lobby of a match, in which players choose a name and a colour, chat, and wait until all are ready. It is an
-- ordinary game for several players, except that it can also use the global `lobby` (load/lobby_api.lua).
return {
  title = lobby.title,
  id = "shoal_lobby",
  width = 1280,
  height = 720,
  window = { scale = "expand", expand_in_match = true },
  multiplayer = { players = { 1, 8 } },
  start = function()
    world.spawn("eye")
    world.spawn("screen")
  end,
}
