local crops = require "lib.crops"
return {
  after = "dry", query = { "crop", "soil" },
  each = function(e, dt)
    local crop, soil = e.crop, e.soil
    if crop.stage == "withered" or crop.stage == "ripe" then return end
    local kind = crops.kinds[crop.kind]
    if soil.moisture < kind.thirst then
      crop.dry_hours = crop.dry_hours + 1
      if crop.dry_hours > 12 then crop.stage = "withered" end
      return
    end
    crop.dry_hours = 0
    local rate = soil.fertility
    if kind.season ~= world.single.calendar.season then rate = rate * 0.25 end
    crop.progress = crop.progress + rate
    if crop.progress >= kind.need then
      crop.progress = 0
      crop.stage = crops.next_stage[crop.stage]
    end
  end,
}
