-- Draws the feeder and the score of each boat, and a caption. The name of a boat's feeder is that of its state.
return {
  phase = "render",
  query = { "boat", "transform" },
  update = function(q)
    draw.colour(0.85, 0.9, 1)
    for i = 1, q.count do
      local words = q.entity[i]:state() .. " " .. q.boat.score[i]
      draw.text(words, q.transform.x[i], q.transform.y[i] - 56, 18, "center")
    end
    draw.colour(0.45, 0.55, 0.65)
    draw.text("Arrows: steer the player's boat    Space: pass the controls on", 640, 676, 18, "center")
  end,
}
