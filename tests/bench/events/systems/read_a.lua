return {
  on = {
    hit = function(ev)
      local a, sum = ev.a, 0
      for i = 1, ev.count do sum = sum + a[i] end
      world.single.sums.a = sum
    end,
  },
}
