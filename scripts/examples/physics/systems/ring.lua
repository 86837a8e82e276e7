-- Draws a growing ring where the player clicked, and a caption.
return {
  phase = "render",
  update = function()
    local blast = world.single.blast
    local left = 1 - blast.age / 0.4
    if left > 0 then
      draw.blend("add")
      draw.colour(1, 0.7, 0.4, left)
      draw.circle(blast.x, blast.y, 170 * (1 - left * left), 4)
    end
    draw.space("screen")
    draw.layer(9)
    draw.blend("alpha")
    draw.colour(0.6, 0.65, 0.75)
    draw.text("Bodies, colliders and joints are components. A click pushes pebbles away.", 640, 690, 16, "center")
  end,
}
