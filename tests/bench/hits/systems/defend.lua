return {
  on = {
    hit = function(hits)
      local hp, target, power = world.lookup("unit").hp, hits.target, hits.power
      for i = 1, hits.count do
        local unit = target[i]
        local left = hp[unit] - power[i]
        if left <= 0 then left = 100 end
        hp[unit] = left
      end
    end,
  },
}
