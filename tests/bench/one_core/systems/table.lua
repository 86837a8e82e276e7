local PULLS = { 0.5, 0.25, 0.125, 0.0625 }

return {
  after = "move",
  query = { "velocity" },
  update = function(q)
    local x = q.velocity.x
    for i = 1, q.count do
      local pull = 0
      for _, one in ipairs(PULLS) do
        pull = pull + one
      end
      x[i] = x[i] + pull - 0.9375
    end
  end,
}
