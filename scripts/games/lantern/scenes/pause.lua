-- The pause menu. With `saved = false`, saves made while it is open do not contain it.
return { saved = false, entities = { { assemblage = "pause_menu", name = "pause menu" } } }
