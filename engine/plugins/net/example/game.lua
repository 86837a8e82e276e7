-- A server and a client in one program: a comet tells where it is, the server says it back, and a ring is drawn where
-- the echo says. What comes from the wire is recorded: a replay opens no socket and shows the same.
return {
  title = "Net: a comet and its echo",
  width = 960,
  height = 540,
  plugins = { "net" },
  start = function()
    world.spawn("eye")
    world.spawn("comet")
    world.spawn("echo")
    world.spawn("words")
    world.single.net.listen = true
    world.single.net.echo = true
  end,
}
