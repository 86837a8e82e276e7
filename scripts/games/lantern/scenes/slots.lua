-- The menu of the save slots, opened on top of the title menu or the pause menu. With `saved = false`, saves do not
-- contain it.
return {
  saved = false,
  entities = { { assemblage = "slots", name = "slots" } },
  start = function()
    world.emit("menu_slot")
    if world.single.play.phase == "playing" then world.focus(world.find("slot save")) end
  end,
}
