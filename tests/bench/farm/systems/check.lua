return {
  phase = "post_update",
  query = { "crop", "soil" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local moisture, progress, harvests, dry_hours = 0, 0, 0, 0
    for i = 1, q.count do
      moisture, progress = moisture + q.soil.moisture[i], progress + q.crop.progress[i]
      harvests, dry_hours = harvests + q.crop.harvests[i] * (i % 7), dry_hours + q.crop.dry_hours[i]
    end
    print(("check gold %.17g"):format(world.single.purse.gold))
    print(("check moisture %.17g"):format(moisture))
    print(("check progress %.17g"):format(progress))
    print(("check harvests %.17g"):format(harvests))
    print(("check dry %.17g"):format(dry_hours))
  end,
}
