return {
  on = {
    hit = function(ev)
      local b, sum = ev.b, 0
      for i = 1, ev.count do sum = sum + b[i] end
      world.single.sums.b = sum
    end,
  },
}
