-- Once a day an outlaw rides through town: it roams, flees from approaching hunters, and tires. A hunter catches
-- an outlaw by ramming it, which is easiest while the outlaw is tired.
-- NEXT: the mood that follows when the clock runs out
local NEXT, PI = { fleeing = "tired", tired = "roaming" }, math.pi
return {
  when = { match = { phase = { "title", "hunt" } } },
  query = { "outlaw", "transform", "sprite" },
  update = function(q, dt)
    local match = world.single.match
    match.outlaw_in = match.outlaw_in - dt
    if match.outlaw_in < 0 then
      match.outlaw_in = 3600
      world.spawn("outlaw", { transform = { x = 640, y = world.random() < 0.5 and 70 or 690 } })
      world.emit("wanted")
    end
    for i = 1, q.count do
      local e = q.entity[i]
      local outlaw, at, mood = e.outlaw, e.transform, e:state()
      local from = world.nearest(at.x, at.y, "hunter").transform
      local near = math.abs(from.x - at.x) + math.abs(from.y - at.y) < 220
      outlaw.clock = outlaw.clock - dt
      if mood == "fleeing" then -- away from the hunter, and also towards the middle, to avoid corners
        outlaw.x, outlaw.y = 3 * at.x - 2 * from.x + (640 - at.x) * 0.5, 3 * at.y - 2 * from.y + (360 - at.y) * 0.7
      elseif mood == "roaming" and outlaw.clock < 0 then
        outlaw.clock, outlaw.x, outlaw.y = 2, 250 + 780 * world.random(), 120 + 480 * world.random()
      end
      local angle = math.atan2(outlaw.y - at.y, outlaw.x - at.x)
      at.angle = at.angle + ((angle - at.angle + PI) % (2 * PI) - PI) * math.min(1, 10 * dt)
      at.x = math.max(40, math.min(1240, at.x + math.cos(angle) * outlaw.speed * dt))
      at.y = math.max(70, math.min(690, at.y + math.sin(angle) * outlaw.speed * dt))
      local to = mood == "roaming" and near and "fleeing" or outlaw.clock < 0 and NEXT[mood]
      if to then e:enter(to) end
      e.sprite.visible = e.lifetime.seconds > 2 or world.tick % 10 < 6
    end
  end,
}
