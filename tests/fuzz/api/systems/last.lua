return {
  phase = "render",
  after = "draw",
  update = function()
    print(("tick %d done"):format(world.tick))
  end,
}
