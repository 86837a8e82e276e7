-- Connects the client as soon as the server has a port.
return {
  phase = "input",
  after = "net.hear",
  update = function()
    local net = world.single.net
    if net.bound > 0 and net.address == "" then
      net.address = "127.0.0.1:" .. net.bound
    end
  end,
}
