-- The pause menu. Because of `saved = false`, saves that are made while it is open do not contain it.
return { saved = false, entities = { { assemblage = "pause_menu", name = "pause menu" } } }
