-- Sets the demo ship's intent: dodges imminent collisions, otherwise attacks the best target. For 3.5 of every 8
-- seconds it does not dodge, because a pilot that never dies is dull to watch.
local tuning = require "tuning"

local WIDTH, HEIGHT = tuning.width, tuning.height
local HULL, LOOK_AHEAD = 16, 1.3

-- Converts a difference of coordinates to the shortest signed distance on a field whose edges wrap around.
local function shortest(d, size)
  if d > size / 2 then return d - size elseif d < -size / 2 then return d + size end
  return d
end

local function turn_to(angle, from)
  local d = (angle - from) % (2 * math.pi)
  return d > math.pi and d - 2 * math.pi or d
end

-- Finds the hazard that is the first to come dangerously close, within LOOK_AHEAD seconds. Returns dx, dy from the ship
-- to the hazard at its closest approach, and the seconds until then; dx and dy are nil if there is no such hazard.
local function nearest_threat(hazards, x, y, vx, vy)
  local hx, hy, radius = hazards.transform.x, hazards.transform.y, hazards.hazard.radius
  local hvx, hvy = hazards.motion.vx, hazards.motion.vy
  local soonest, threat_x, threat_y = LOOK_AHEAD, nil, nil
  for i = 1, hazards.count do
    local dx, dy = shortest(hx[i] - x, WIDTH), shortest(hy[i] - y, HEIGHT)
    local rvx, rvy = hvx[i] - vx, hvy[i] - vy
    local speed2 = rvx * rvx + rvy * rvy + 1
    local t = math.max(0, -(dx * rvx + dy * rvy) / speed2)
    local cx, cy = dx + rvx * t, dy + rvy * t
    local reach = radius[i] + HULL + 12
    local away = math.sqrt(dx * dx + dy * dy) - reach
    if cx * cx + cy * cy < reach * reach and t < soonest and away < 260 then
      soonest, threat_x, threat_y = t, cx, cy
    end
  end
  return threat_x, threat_y, soonest
end

-- Finds the best target: one that requires little turning, has a short flight time and a high `worth`. Returns the
-- angle at which to fire, the distance and the radius; the angle is nil if there is no target.
local function best_target(hazards, x, y, vx, vy, angle, bullet_speed)
  local hx, hy, hvx, hvy = hazards.transform.x, hazards.transform.y, hazards.motion.vx, hazards.motion.vy
  local radius, worth = hazards.hazard.radius, hazards.hazard.worth
  local best, aim, distance, size = math.huge, nil, 0, 0
  for i = 1, hazards.count do
    if worth[i] > 0 then
      local dx, dy = shortest(hx[i] - x, WIDTH), shortest(hy[i] - y, HEIGHT)
      local flight = math.sqrt(dx * dx + dy * dy) / bullet_speed
      dx, dy = dx + (hvx[i] - vx) * flight, dy + (hvy[i] - vy) * flight
      local to = math.atan2(dy, dx)
      local cost = math.abs(turn_to(to, angle)) * 0.7 + flight - worth[i] * 0.08
      if cost < best then
        best, aim, distance, size = cost, to, math.sqrt(dx * dx + dy * dy), radius[i]
      end
    end
  end
  return aim, distance, size
end

return {
  phase = "pre_update",
  after = { "stage" },
  queries = {
    pilots = { "transform", "motion", "intent", "autopilot", "gun" },
    hazards = { "transform", "motion", "hazard" },
  },
  update = function(q, dt)
    local pilots, hazards = q.pilots, q.hazards
    local carried_away = world.time % 8 > 4.5
    local t, m, intent, gun = pilots.transform, pilots.motion, pilots.intent, pilots.gun
    local reload = pilots.autopilot.reload
    for i = 1, pilots.count do
      local x, y, vx, vy, angle = t.x[i], t.y[i], m.vx[i], m.vy[i], t.angle[i]
      local turn, thrust, fire = 0, false, false
      local aim, distance, size = best_target(hazards, x, y, vx, vy, angle, gun.speed[i])
      if aim then
        local off = turn_to(aim, angle)
        turn = off * 5
        fire = distance < (carried_away and 130 or 540) and math.abs(off) < 0.05 + 0.7 * size / (distance + 1)
        thrust = distance > (carried_away and 90 or 330) and math.abs(off) < 0.3 and vx * vx + vy * vy < 190 * 190
      end
      local cx, cy, soon = nearest_threat(hazards, x, y, vx, vy)
      if cx and soon < 0.85 and not carried_away then
        local off = turn_to(math.atan2(-cy, -cx), angle)
        thrust = math.abs(off) < 1.1
        if not fire then turn = off * 5 end
      end
      reload[i] = reload[i] - dt
      if reload[i] > 0 then fire = false elseif fire then reload[i] = 0.17 + 0.12 * world.random() end
      intent.turn[i] = math.max(-1, math.min(1, turn))
      intent.thrust[i], intent.fire[i], intent.warp[i] = thrust, fire, false
    end
  end,
}
