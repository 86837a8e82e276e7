-- Stores the position that the server sends back.
return {
  after = "net.hear",
  on = {
    net_message = function(ev)
      local received = world.single.received
      for i = 1, ev.count do
        local x, y = ev.text[i]:match("^(%-?%d+) (%-?%d+)$")
        if ev.peer[i] == 0 and x then
          received.x, received.y, received.count = tonumber(x), tonumber(y), received.count + 1
        end
      end
    end,
  },
}
