-- The menu after the end of a game, opened over the scene of the battle.
return { entities = { { assemblage = "over_menu", components = { transform = { y = 220 } } } } }
