-- Draws the on-screen text. Systems in phase "render" cannot change the world.
return {
  phase = "render",
  update = function()
    local counts = world.single.counts
    draw.space("screen")
    draw.layer(10)
    draw.colour("#0d140ecc")
    draw.rect(0, 0, 1280, 46)
    draw.colour("#e9f2dd")
    draw.text(("Rabbits %d   grass %d   born %d   starved %d"):format(world.count("rabbit"), counts.grass, counts.born,
      counts.starved), 20, 10, 22)
  end,
}
