-- The player's orders: the target (a click selects an enemy, keys select the next or the previous one), and whether the
-- team holds its position.
return {
  phase = "input",
  when = { match = { phase = "battle", demo = false } },
  query = { "unit", "pose", "transform" },
  update = function(q)
    local match, enemies, focus_index, best, min_distance = world.single.match, {}, 0, shoal.none, 90
    local x, y = world.from_screen(input.mouse())
    for i = 1, q.count do
      local e, dx, dy = q.entity[i], q.transform.x[i] - x, q.transform.y[i] - 24 - q.pose.height[i] - y
      local distance = math.sqrt(dx * dx + dy * dy)
      if q.unit.side[i] == -1 then enemies[#enemies + 1] = e end
      if q.unit.side[i] == -1 and distance < min_distance then best, min_distance = e, distance end
      if e == match.focus then focus_index = #enemies end
    end
    local step = (input.pressed("next") and 1 or 0) - (input.pressed("last") and 1 or 0)
    if input.pressed("point") then match.focus = best end
    if step ~= 0 and #enemies > 0 then match.focus = enemies[(focus_index + step - 1) % #enemies + 1] end
    if input.pressed("hold") then match.holds = not match.holds end
  end,
}
