-- Pairs that come and go, cascades in circles, observers and counters: for the tests of how a world is lived again.
return {
  title = "relations",
  history = 64,
  start = function()
    for _ = 1, 40 do
      world.spawn("folk")
    end
  end,
}
