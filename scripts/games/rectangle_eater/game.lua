-- Rectangle Eater: eat what is smaller than you, the smaller the better. Between courses you choose what rectangles are
-- from now on: traits of assets/traits.json go into the assemblage of all of them, those that are alive too. That file
-- is meant to be saved while it plays. The rules are in systems/eat.lua, what traits do in systems/ways.lua.
return {
  title = "Rectangle Eater", width = 1280, height = 720,
  buses = { jingle = 1, music = { volume = 0.7, under = "jingle", duck = 0.25, release = 1 } },
  start = function() world.spawn("eye") world.emit("go", { to = "title" }) end,
}
