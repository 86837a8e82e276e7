return {
  query = { "status", "text" },
  update = function(q)
    local net = world.single.net
    for i = 1, q.count do
      q.text.value[i] = net.connected and string.format("port %d: %d replies", net.bound, world.single.received.count)
        or "no peer is connected yet"
    end
  end,
}
