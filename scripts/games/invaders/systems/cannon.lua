-- Moves and fires the cannon, controlled by the player's input or, in the demo, by an AI.
local looks = assets.json "looks.json"
local SPEED, SLIDE, RELOAD, SHOTS = 560, 16, 0.34, 2

-- The AI. If a bomb is near, it dodges; otherwise it aims at a nearby saucer or at an invader that is near and low.
-- Returns the direction, -1 … 1, and whether to fire.
local function pilot(x)
  local speed = world.single.fleet.way * 14 / (0.06 + 0.57 * world.count("invader") / 55)
  local flee, danger, goal, min_cost = 0, 190, 640, math.huge
  for e in world.each("bomb", "transform") do
    local off, above = x - e.transform.x, looks.cannon_y - e.transform.y
    if math.abs(off) < 44 and above > -20 and above < danger then
      flee, danger = x < 110 and 1 or x > 1170 and -1 or off < 0 and -1 or 1, above
    end
  end
  for e in world.each("invader") do
    local ahead = e.invader.x + speed * (looks.cannon_y - e.invader.y) / looks.shot_speed
    local cost = math.abs(ahead - x) - e.invader.y * 0.4
    if ahead > looks.left and ahead < looks.right and cost < min_cost then goal, min_cost = ahead, cost end
  end
  for e in world.each("saucer", "transform", "mover") do
    local ahead = e.transform.x + e.mover.vx * (looks.cannon_y - looks.saucer_y) / looks.shot_speed
    if math.abs(ahead - x) < 240 then goal = ahead end
  end
  return flee ~= 0 and flee or math.max(-1, math.min(1, (goal - x) / 24)), math.abs(goal - x) < 16
end

return {
  when = { match = { phase = { "ready", "play" } } },
  query = { "cannon", "transform", "sprite" },
  each = function(e, dt)
    local cannon, at, match = e.cannon, e.transform, world.single.match
    local want, fires = input.axis("move"), input.down("fire")
    if match.demo then want, fires = pilot(at.x) end
    cannon.speed = cannon.speed + (want * SPEED - cannon.speed) * math.min(1, SLIDE * dt)
    at.x = math.max(looks.left, math.min(looks.right, at.x + cannon.speed * dt))
    at.angle = cannon.speed * 0.00016
    cannon.reload, cannon.triple, cannon.grace = cannon.reload - dt, cannon.triple - dt, cannon.grace - dt
    e.sprite.visible = cannon.grace <= 0 or world.tick % 8 < 5
    local spread = cannon.triple > 0 and 1 or 0
    fires = fires and match.phase == "play" and world.count("shot") < SHOTS * (1 + 2 * spread)
    if not fires or cannon.reload > 0 then return end
    cannon.reload = RELOAD
    for i = -spread, spread do
      world.spawn("shot", { transform = { x = at.x + i * 14, y = looks.cannon_y - 26, angle = i * 0.12 },
        mover = { vx = i * 110 } })
    end
    world.tween(e, "transform.scale_y", 1, 0.2, "back_out", { from = 0.7 })
    world.emit("burst", { kind = "fired", x = at.x, y = looks.cannon_y - 26 })
  end,
}
