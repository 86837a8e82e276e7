-- The save slots, on top of the title or the pause menu.
return {
  saved = false,
  entities = { { assemblage = "slots", name = "slots" } },
  start = function() world.emit("menu_slot") end,
}
