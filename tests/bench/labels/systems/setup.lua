return {
  phase = "input",
  start = function()
    local bench, board, row = world.single.bench, world.spawn("board"), nil
    local columns = bench.one and 5 or 10
    for i = 0, bench.count - 1 do
      if i % columns == 0 then row = world.spawn("row", { transform = { parent = board } }) end
      if bench.one then
        world.spawn("note", { transform = { parent = row }, note = { number = i }, label = { text = "note " .. i } })
      else
        local r, c = math.floor(i / columns) + 1, i % columns + 1
        world.spawn("status", { transform = { parent = row },
          status = { name = "u" .. r .. "_" .. c, hp = r * c }, label = { text = "x" } })
      end
    end
  end,
}
