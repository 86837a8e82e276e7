-- Draws the ground and a caption. Systems in phase "render" cannot change the world.
return {
  phase = "render",
  update = function()
    draw.colour(0.3, 0.5, 0.9, 0.8)
    draw.line(0, 701, 1280, 701, 2)
    draw.space("screen")
    draw.layer(9)
    draw.blend("alpha")
    draw.colour(0.6, 0.65, 0.75)
    draw.text("`each`, the simplest system: a function of one entity, systems/bounce.lua", 640, 26, 16, "center")
  end,
}
