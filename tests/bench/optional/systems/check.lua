return {
  phase = "post_update",
  queries = { things = { "thing" }, shields = { "shield" } },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local x, hp, left = 0, 0, 0
    for i = 1, q.things.count do x, hp = x + q.things.thing.x[i], hp + q.things.thing.hp[i] end
    for i = 1, q.shields.count do left = left + q.shields.shield.left[i] end
    print(("check x %.17g"):format(x))
    print(("check hp %.17g"):format(hp))
    print(("check left %.17g"):format(left))
  end,
}
