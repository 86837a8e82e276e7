-- Events emitted by systems and buttons.
return {
  burst = { kind = "chip", x = 0, y = 0, row = 1, frame = 1, points = 0 },
  powerup_dropped = { x = 0, y = 0 },
  go = { to = "title", begins = false }, play = {}, -- begins: true if a new game begins
}
