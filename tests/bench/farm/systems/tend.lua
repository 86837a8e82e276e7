local crops = require "lib.crops"

return {
  after = "grow",
  on = {
    hour_passed = function() -- waters dry sprouts
      local q = world.query { "crop", "soil" }
      local stage, moisture = q.crop.stage, q.soil.moisture
      for i = 1, q.count do
        if stage[i] == "sprout" and moisture[i] < 0.5 then moisture[i] = moisture[i] + 0.02 end
      end
    end,
    day_began = function() -- harvests ripe crops, and sows again
      local q = world.query { "crop", "soil" }
      local crop, purse = q.crop, world.single.purse
      for i = 1, q.count do
        if crop.stage[i] == "ripe" then
          purse.gold = purse.gold + crops.kinds[crop.kind[i]].price
          crop.harvests[i] = crop.harvests[i] + 1
          crop.stage[i] = "seed"
        elseif crop.stage[i] == "withered" then
          crop.stage[i], crop.progress[i], crop.dry_hours[i] = "seed", 0, 0
        end
      end
    end,
  },
}
