local function fill(q)
  local x = q.position.x
  for i = 1, q.count do x[i] = i % 1024 end
end

return {
  update = function()
    world.spawn_many("thing", world.single.bench.count, fill)
  end,
}
