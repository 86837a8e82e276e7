-- What comes back is where the ring goes.
return {
  after = "net.hear",
  on = {
    net_message = function(ev)
      local heard = world.single.heard
      for i = 1, ev.count do
        local x, y = ev.text[i]:match("^(%-?%d+) (%-?%d+)$")
        if ev.peer[i] == 0 and x then
          heard.x, heard.y, heard.count = tonumber(x), tonumber(y), heard.count + 1
        end
      end
    end,
  },
}
