-- Drops pebbles up to a maximum of ENOUGH, then returns them to the top one by one. A pebble that falls below the
-- screen is returned immediately.
local KINDS = { "ball", "brick", "shard" }
local COLOURS = { { 0.25, 0.6, 0.9 }, { 0.2, 0.75, 0.6 }, { 0.85, 0.55, 0.3 }, { 0.75, 0.4, 0.7 } }
local ENOUGH = 200

local function spawn_pebble()
  local colour = COLOURS[world.random(#COLOURS)]
  world.spawn(KINDS[world.random(#KINDS)], { transform = { x = world.random(330, 950), y = -20,
    angle = world.random() * 6 },
    pebble = { r = colour[1], g = colour[2], b = colour[3] } })
end

return {
  query = { "pebble", "transform", "rigid_body" },
  every = 6,
  update = function(q)
    local tap = world.single.tap
    tap.count = tap.count + 1
    if q.count < ENOUGH then spawn_pebble() end
    local oldest = q.count == ENOUGH and tap.count % ENOUGH + 1
    local x, y, body = q.transform.x, q.transform.y, q.rigid_body
    for i = 1, q.count do
      if i == oldest or y[i] > 760 then -- writing the transform moves the body
        x[i], y[i] = world.random(330, 950), -20
        body.vx[i], body.vy[i], body.spin[i] = 0, 0, 0
      end
    end
  end,
}
