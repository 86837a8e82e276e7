-- Pairs that are added and removed, cyclic cascades, observers and change counters: for the tests of re-simulation and
-- replays.
return {
  title = "relations",
  history = 64,
  start = function()
    for _ = 1, 40 do
      world.spawn("folk")
    end
  end,
}
