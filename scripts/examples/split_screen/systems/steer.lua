-- Sets a ship's `helm` from the player's input. After DELAY ticks without input, the ship flies to the beacon by
-- itself.
local DELAY = 240

local function compute_intent(e)
  local at, goal = e.transform, world.find("beacon").transform
  local x, y = goal.x - at.x - e.helm.vx * 0.6, goal.y - at.y - e.helm.vy * 0.6
  local ahead_x, ahead_y = math.cos(at.angle), math.sin(at.angle)
  local side, along = ahead_x * y - ahead_y * x, ahead_x * x + ahead_y * y
  return math.max(-1, math.min(1, side / 60)), along > 0 and math.abs(side) < along and 1 or 0
end

return {
  phase = "input",
  query = { "pilot", "helm", "transform" },
  each = function(e)
    local player = e.pilot.player
    local turn, thrust = input.axis("turn", player), input.down("thrust", player) and 1 or 0
    if turn ~= 0 or thrust ~= 0 then
      e.pilot.touched = world.tick
    elseif world.tick - e.pilot.touched > DELAY then
      turn, thrust = compute_intent(e)
    end
    e.helm.turn, e.helm.thrust = turn, thrust
  end,
}
