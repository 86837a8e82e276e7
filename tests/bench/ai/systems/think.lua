local FOOD = { { 100, 100 }, { 900, 120 }, { 500, 600 }, { 80, 650 } }

return {
  query = { "animal" },
  each = function(e, dt)
    local a = e.animal
    a.hunger, a.fear = a.hunger + 3 * dt, math.max(a.fear - 2 * dt, 0)
    if a.fear > 80 then
      a.mode = "flee"
    elseif a.energy < 20 then
      a.mode = "rest"
    elseif a.hunger > 60 then
      a.mode = "eat"
    elseif a.energy > 90 then
      a.mode = "hunt"
    else
      a.mode = "idle"
    end
    if a.mode == "eat" then
      local food_x, food_y, nearest = 0, 0, 1e9
      for k = 1, 4 do
        local dx, dy = FOOD[k][1] - a.x, FOOD[k][2] - a.y
        local square = dx * dx + dy * dy
        if square < nearest then food_x, food_y, nearest = dx, dy, square end
      end
      if nearest < 25 then
        a.hunger = 0
      else
        local distance = math.sqrt(nearest)
        a.x, a.y = a.x + food_x / distance * 40 * dt, a.y + food_y / distance * 40 * dt
      end
    elseif a.mode == "flee" then
      a.x, a.energy = a.x + 60 * dt, a.energy - 5 * dt
    elseif a.mode == "rest" then
      a.energy = a.energy + 10 * dt
    elseif a.mode == "hunt" then
      a.y, a.energy, a.fear = a.y + 50 * dt, a.energy - 8 * dt, a.fear + 5 * dt
    else
      a.energy = a.energy + dt
    end
  end,
}
