-- Shows the monster at its height. Without FlyingPart, it falls.
return {
  query = { "pose", optional = { "FlyingPart" } },
  update = function(q, dt)
    local height = q.pose.height
    for i = 1, q.count do
      local goal = q.has.FlyingPart[i] and q.FlyingPart.height[i] or 0
      height[i] = goal > height[i] and goal or math.max(goal, height[i] - (60 + 3 * height[i]) * dt)
    end
  end,
}
