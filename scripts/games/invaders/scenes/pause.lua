-- The menu of the paused game. Saves do not contain it.
return { saved = false, entities = { { assemblage = "pause.menu", name = "pause" } } }
