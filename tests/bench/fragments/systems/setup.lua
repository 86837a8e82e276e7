return {
  phase = "input",
  start = function()
    local made = 0
    for kind = 1, 26 do
      world.spawn_many("kind" .. kind, world.single.bench.count / 26, function(q)
        for i = 1, q.count do
          q.data.z[i] = made % 7
          made = made + 1
        end
      end)
    end
  end,
}
