return {
  query = { "words", "text" },
  update = function(q)
    local net = world.single.net
    for i = 1, q.count do
      q.text.value[i] = net.connected and string.format("port %d: %d answers", net.bound, world.single.heard.count)
        or "nobody is connected yet"
    end
  end,
}
