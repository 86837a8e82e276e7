-- Rectangle Eater: eat rectangles that are smaller than you. Between courses, choose a trait from assets/traits.json. A
-- trait changes the assemblage of all rectangles, including those that already exist. Edit traits.json while the game
-- runs. The components and the systems userInput, collision, decay and render have the names of the article on which
-- the game is based. Every entity with `playerControlled` is an eater; there can be several.
return {
  title = "Rectangle Eater", width = 1280, height = 720, addons = { "menu", "pause" },
  window = { icon = "icon.png", scale = "expand" },
  buses = { jingle = 1, music = { volume = 0.7, under = "jingle", duck = 0.25, release = 1 } },
  start = function() world.spawn("eye") world.emit("go", { to = "title" }) end,
}
