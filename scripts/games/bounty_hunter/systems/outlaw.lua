-- Once a day an outlaw rides through town: it roams, flees from approaching hunters, and tires. A hunter catches
-- an outlaw by ramming it, which is easiest while the outlaw is tired.
local PI = math.pi
local function ride(e, dt)
  local outlaw, transform = e.outlaw, e.transform
  local angle = math.atan2(outlaw.y - transform.y, outlaw.x - transform.x)
  outlaw.clock = outlaw.clock - dt
  transform.angle = transform.angle + ((angle - transform.angle + PI) % (2 * PI) - PI) * math.min(1, 10 * dt)
  transform.x = math.max(40, math.min(1240, transform.x + math.cos(angle) * outlaw.speed * dt))
  transform.y = math.max(70, math.min(690, transform.y + math.sin(angle) * outlaw.speed * dt))
  e.sprite.visible = e.lifetime.seconds > 2 or world.tick % 10 < 6
end
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
    for i = 1, q.count do ride(q.entity[i], dt) end
  end,
}
