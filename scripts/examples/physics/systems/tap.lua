-- Lets pebbles fall until there are enough; those that have fallen off come back at the top.
local KINDS = { "ball", "brick", "shard" }
local COLOURS = { { 0.25, 0.6, 0.9 }, { 0.2, 0.75, 0.6 }, { 0.85, 0.55, 0.3 }, { 0.75, 0.4, 0.7 } }
local ENOUGH = 240

return {
  query = { "pebble", "transform", "rigid_body" },
  every = 5,
  update = function(q)
    local tap = world.single.tap
    if tap.count < ENOUGH then
      tap.count = tap.count + 1
      local colour = COLOURS[world.random(#COLOURS)]
      world.spawn(KINDS[world.random(#KINDS)], { transform = { x = world.random(330, 950), y = -20, angle = world.random() * 6 },
        pebble = { r = colour[1], g = colour[2], b = colour[3] } })
    end
    local x, y, body = q.transform.x, q.transform.y, q.rigid_body
    for i = 1, q.count do
      if y[i] > 760 then -- whoever writes the transform moves the body
        x[i], y[i] = world.random(330, 950), -20
        body.vx[i], body.vy[i], body.spin[i] = 0, 0, 0
      end
    end
  end,
}
