-- Returns a random index below `count`. Doubles represent all products of the calculation exactly.
local function scatter(i, count)
  return (i * 2654435 % 4194301 * 1021 + i) % count
end

return {
  phase = "input",
  start = function()
    world.spawn_many("seeker", world.single.bench.count, function(q)
      local s = q.seeker
      for i = 1, q.count do
        s.x[i], s.y[i], s.target[i] = i % 1000, i % 700, q.entity[scatter(i, q.count) + 1]
      end
    end)
  end,
}
