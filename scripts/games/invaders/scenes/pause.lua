-- The menu of the paused game. With `saved = false`, saves do not contain it.
return { saved = false, entities = { { assemblage = "pause.menu", name = "pause" } } }
