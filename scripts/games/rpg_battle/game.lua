-- RPG battle: two teams of fighters, rangers, flying rangers, summoners and mages. Abilities are behaviours that are
-- attached, detached and replaced (behaviours/, lib/parts.lua). Before each battle, the player picks a card. During the
-- battle, the player chooses a target and whether the team holds its position. Without input, the game plays by itself.
return {
  title = "RPG Battle", width = 1280, height = 720, addons = { "menu", "pause" },
  window = { icon = "icon.png", scale = "expand" },
  buses = { jingle = 1, music = { volume = 0.7, under = "jingle", duck = 0.3, release = 1 } },
  start = function() world.spawn("eye") world.spawn("field") world.emit("go", { to = "title" }) end,
}
