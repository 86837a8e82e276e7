return {
  after = "table",
  query = { "position", "label" },
  update = function(q)
    local x, text = q.position.x, q.label.text
    for i = 1, q.count do
      text[i] = "cell " .. math.floor(x[i] % 100)
    end
  end,
}
