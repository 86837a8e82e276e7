return {
  query = { "unit" },
  update = function(q)
    local power, target, turn = q.unit.power, q.unit.target, world.tick % 10
    for i = 1, q.count do
      if (i + turn) % 10 == 0 then
        world.emit("hit", { target = target[i], power = power[i] })
      end
    end
  end,
}
