local function fill(q)
  local x, y, hp, team = q.place.x, q.place.y, q.health.hp, q.team.number
  for i = 1, q.count do
    x[i], y[i] = i / 7, i * 0.25
    hp[i], team[i] = i % 100, i % 10
  end
end

return {
  update = function()
    if world.count("thing") == 0 then world.spawn_many("thing", world.single.bench.count, fill) end
  end,
}
