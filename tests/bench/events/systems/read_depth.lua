return {
  on = {
    hit = function(ev)
      local depth, sum = ev.depth, 0
      for i = 1, ev.count do sum = sum + depth[i] end
      world.single.sums.depth = sum
    end,
  },
}
