-- Makes units rise and fall, and fades their lunges and flashes.
local FLIGHT = 66 -- height of flight in pixels
return {
  after = "minds",
  when = { match = { phase = { "battle", "after" } } },
  query = { "pose", optional = { "wings" } },
  update = function(q, dt)
    local pose = q.pose
    for i = 1, q.count do
      local height = q.has.wings[i] and FLIGHT or 0
      pose.height[i] = pose.height[i] + (height - pose.height[i]) * math.min(1, 5 * dt)
      pose.lunge[i] = math.max(0, pose.lunge[i] - 4 * dt)
      pose.flash[i] = math.max(0, pose.flash[i] - 5 * dt)
    end
  end,
}
