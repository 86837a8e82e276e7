-- The tiles of the shelf, row by row, and the text that the menu shows about each tile.
return {
  { name = "asteroids",
    about = "Fly a ship among drifting rocks. Shoot them to pieces, and dodge the pieces. Saucers shoot back, "
      .. "and hyperspace is the last way out. One to eight players." },
  { name = "lantern",
    about = "Carry a lantern into a crypt. Fight slimes, bats and ghosts, find the keys, and meet the Snuffer "
      .. "on his throne." },
  { name = "invaders",
    about = "A fleet descends on your last cannon. Break its ranks, catch power-ups, and survive the boss of "
      .. "every fifth wave." },
  { name = "rpg_battle",
    about = "Pick a card, send your team into battle, and choose its targets. How many battles can you win in "
      .. "a row?" },
  { name = "boids",
    about = "Twenty thousand fish follow their neighbours and flee from a shark. Hold the mouse button to "
      .. "frighten them." },
  { name = "tron",
    about = "Draw a wall of light behind you, and cut off your rivals. Touch no wall, not even your own. One or "
      .. "two players." },
  { name = "bounty_hunter",
    about = "Four hunters carry bounties home. Ram your rivals to steal theirs, and do not be the poorest at "
      .. "sunset." },
  { name = "pong",
    about = "Two paddles, and a ball that gets faster and faster. Play against the machine or a friend." },
  { name = "rectangle_eater",
    about = "Eat what is smaller than you, flee from what is larger, and choose a trait after every course." },
  { name = "hamlet",
    about = "Dig for ore and gold in a mine, sell them to the smith, and trade with other players. The elder "
      .. "remembers. One to eight players, or a world on a server." },
  { name = "examples", title = "Examples",
    about = "Small games, each about one feature of Shoal: light, physics, sound, levels, menus, …" },
}
