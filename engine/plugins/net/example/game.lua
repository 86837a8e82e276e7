-- A server and a client in one program: the client sends the position of a comet, the server sends it back, and a ring
-- is drawn at the received position. Received messages are recorded, so a replay needs no sockets.
return {
  title = "Net: a comet and its echo",
  width = 960,
  height = 540,
  window = { run_in_background = true },
  plugins = { "net" },
  start = function()
    world.spawn("eye")
    world.spawn("comet")
    world.spawn("echo")
    world.spawn("status")
    world.single.net.listen = true
    world.single.net.echo = true
  end,
}
