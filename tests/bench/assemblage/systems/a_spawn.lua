local function fill(q)
  local x, vx = q.place.x, q.speed.x
  for i = 1, q.count do
    x[i], vx[i] = (i - 1) % 1024, (i - 1) % 512
  end
end

return {
  update = function()
    world.spawn_many("unit", world.single.bench.count, fill)
  end,
}
