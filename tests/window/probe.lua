-- Logs the state of the game ten times a second; added to a copy of Asteroids by the window test.
return {
  phase = "post_update",
  every = 6,
  queries = { ships = { "transform", "motion", "controls" }, bullets = { "bullet" }, rocks = { "rock" } },
  update = function(q)
    local ships = q.ships
    local who, angle, speed = "none", 0, 0
    if ships.count > 0 then
      local m = ships.motion
      who, angle = tostring(ships.entity[1]), ships.transform.angle[1]
      speed = math.sqrt(m.vx[1] * m.vx[1] + m.vy[1] * m.vy[1])
    end
    log.info("probe tick=%d phase=%s ship=%s angle=%.4f speed=%.2f bullets=%d rocks=%d end", world.tick,
      world.single.game.phase, (who:gsub(" ", "_")), angle, speed, q.bullets.count, q.rocks.count)
  end,
}
