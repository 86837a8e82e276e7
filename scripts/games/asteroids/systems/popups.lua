-- Fades the rising score labels.
return {
  after = { "motion" },
  query = { "popup", "lifetime", "text" },
  update = function(q)
    local life, seconds_left, alpha = q.popup.life, q.lifetime.seconds, q.text.colour.w
    for i = 1, q.count do alpha[i] = math.min(1, 2 * math.max(0, seconds_left[i] / life[i])) end
  end,
}
