-- Raises the displayed score gradually to the actual score.
return {
  phase = "post_update",
  update = function(dt)
    local score = world.single.score
    local difference = score.points - score.shown
    score.shown = difference < 1 and score.points or score.shown + math.max(1, difference * math.min(1, 10 * dt))
  end,
}
