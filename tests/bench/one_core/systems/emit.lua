return {
  after = "random",
  query = { "position" },
  update = function(q)
    local x = q.position.x
    for i = 1, q.count do
      world.emit("passed", { x = x[i] })
    end
  end,
}
