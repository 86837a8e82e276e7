return {
  query = { "transform", "creep" },
  each = function(e, dt)
    local creep, transform = e.creep, e.transform
    -- The path is a serpentine: odd legs run along x, even ones down.
    local leg = creep.leg
    local row = math.floor((leg - 1) / 2)
    if leg % 2 == 1 then
      local goal = row % 2 == 0 and 1950 or 50
      local dx = goal - transform.x
      local step = creep.speed * dt
      if math.abs(dx) <= step then
        creep.leg = leg + 1
      else
        transform.x = transform.x + (dx > 0 and step or -step)
      end
    else
      transform.y = transform.y + creep.speed * dt
      if transform.y > 100 + (row + 1) * 200 then
        creep.leg = leg + 1
        if leg + 1 > 15 then
          creep.leg = 1
          transform.y = transform.y - 1400
        end
      end
    end
  end,
}
