local function fill(ev)
  local a, b, depth = ev.a, ev.b, ev.depth
  for i = 1, ev.count do
    a[i], b[i], depth[i] = (i - 1) % 1000, (i - 1) % 700, (i - 1) % 16
  end
end

return {
  update = function()
    world.emit_many("hit", world.single.bench.count, fill)
  end,
}
