-- What is said, in a box at the foot of the picture.
return {
  phase = "render",
  query = { "saying" },
  update = function(q)
    for i = 1, q.count do
      local said = q.saying
      draw.space("screen")
      draw.layer(25)
      draw.colour(0.06, 0.05, 0.09, 0.92)
      draw.rect(20, 132, 280, 40)
      draw.colour("#f0a456")
      draw.rect(20, 132, 280, 40, false, 1)
      draw.text(said.who[i], 28, 136, 8)
      draw.colour("#f3ead2")
      draw.text(said.text[i], 28, 148, 9)
    end
  end,
}
