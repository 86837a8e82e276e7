-- Sets the demo ship's intent: dodges imminent collisions, otherwise attacks the best target. For 3.5 of every 8
-- seconds it does not dodge, because a pilot that never dies is dull to watch.
local tuning = require "tuning"

local WIDTH, HEIGHT = tuning.width, tuning.height
local HULL, LOOK_AHEAD = 16, 1.3

-- Converts a difference of coordinates to the shortest signed distance on a field whose edges wrap around.
local function wrap_difference(difference, size)
  if difference > size / 2 then return difference - size elseif difference < -size / 2 then return difference + size end
  return difference
end

local function compute_turn(angle, heading)
  local turn = (angle - heading) % (2 * math.pi)
  return turn > math.pi and turn - 2 * math.pi or turn
end

-- Finds the hazard that is the first to come dangerously close, within LOOK_AHEAD seconds. Returns dx, dy from the ship
-- to the hazard at its closest approach, and the seconds until then; dx and dy are nil if there is no such hazard.
local function find_nearest_threat(hazards, x, y, vx, vy)
  local hx, hy, radius = hazards.transform.x, hazards.transform.y, hazards.hazard.radius
  local hvx, hvy = hazards.motion.vx, hazards.motion.vy
  local soonest, threat_x, threat_y = LOOK_AHEAD, nil, nil
  for i = 1, hazards.count do
    local dx, dy = wrap_difference(hx[i] - x, WIDTH), wrap_difference(hy[i] - y, HEIGHT)
    local rvx, rvy = hvx[i] - vx, hvy[i] - vy
    local speed2 = rvx * rvx + rvy * rvy + 1
    local t = math.max(0, -(dx * rvx + dy * rvy) / speed2)
    local cx, cy = dx + rvx * t, dy + rvy * t
    local reach = radius[i] + HULL + 12
    local distance = math.sqrt(dx * dx + dy * dy) - reach
    if cx * cx + cy * cy < reach * reach and t < soonest and distance < 260 then
      soonest, threat_x, threat_y = t, cx, cy
    end
  end
  return threat_x, threat_y, soonest
end

-- Finds the best target: one that requires little turning, has a short flight time and a high `worth`. Returns the
-- angle at which to fire, the distance and the radius; the angle is nil if there is no target.
local function find_best_target(hazards, x, y, vx, vy, angle, bullet_speed)
  local hx, hy, hvx, hvy = hazards.transform.x, hazards.transform.y, hazards.motion.vx, hazards.motion.vy
  local radius, worth = hazards.hazard.radius, hazards.hazard.worth
  local best, aim, distance, size = math.huge, nil, 0, 0
  for i = 1, hazards.count do
    if worth[i] > 0 then
      local dx, dy = wrap_difference(hx[i] - x, WIDTH), wrap_difference(hy[i] - y, HEIGHT)
      local flight = math.sqrt(dx * dx + dy * dy) / bullet_speed
      dx, dy = dx + (hvx[i] - vx) * flight, dy + (hvy[i] - vy) * flight
      local direction = math.atan2(dy, dx)
      local cost = math.abs(compute_turn(direction, angle)) * 0.7 + flight - worth[i] * 0.08
      if cost < best then
        best, aim, distance, size = cost, direction, math.sqrt(dx * dx + dy * dy), radius[i]
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
    local is_reckless = world.time % 8 > 4.5
    local transform, motion, intent, gun = pilots.transform, pilots.motion, pilots.intent, pilots.gun
    local reload = pilots.autopilot.reload
    for i = 1, pilots.count do
      local x, y, vx, vy, angle = transform.x[i], transform.y[i], motion.vx[i], motion.vy[i], transform.angle[i]
      local turn, thrust, fire = 0, false, false
      local aim, distance, size = find_best_target(hazards, x, y, vx, vy, angle, gun.speed[i])
      if aim then
        local turn_needed = compute_turn(aim, angle)
        turn = turn_needed * 5
        fire = distance < (is_reckless and 130 or 540) and math.abs(turn_needed) < 0.05 + 0.7 * size / (distance + 1)
        thrust = distance > (is_reckless and 90 or 330) and math.abs(turn_needed) < 0.3
          and vx * vx + vy * vy < 190 * 190
      end
      local cx, cy, threat_time = find_nearest_threat(hazards, x, y, vx, vy)
      if cx and threat_time < 0.85 and not is_reckless then
        local turn_needed = compute_turn(math.atan2(-cy, -cx), angle)
        thrust = math.abs(turn_needed) < 1.1
        if not fire then turn = turn_needed * 5 end
      end
      reload[i] = reload[i] - dt
      if reload[i] > 0 then fire = false elseif fire then reload[i] = 0.17 + 0.12 * world.random() end
      intent.turn[i] = math.max(-1, math.min(1, turn))
      intent.thrust[i], intent.fire[i], intent.warp[i] = thrust, fire, false
    end
  end,
}
