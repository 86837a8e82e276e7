-- This game's tools in the cockpit (F1; then Ctrl+B opens the cockpit in a browser): a count of the flying objects by
-- kind, a panel to tune the wave, and two commands. Players of a packaged game do not see them.

shoal.cockpit { title = "Flying objects", sql = [[
  SELECT assemblage, COUNT(*) AS count FROM entities
  WHERE assemblage IN ('rock_large', 'rock_medium', 'rock_small', 'saucer_big', 'saucer_small', 'mother_ship',
    'bullet', 'shell', 'player_ship', 'demo_ship')
  GROUP BY assemblage ORDER BY count DESC]] }

shoal.cockpit { title = "Wave", draw = function(panel)
  local wave, rocks, fastest, ship = world.single.wave, 0, 0, nil
  for e in world.each("rock", "motion") do
    rocks = rocks + 1
    fastest = math.max(fastest, math.sqrt(e.motion.vx ^ 2 + e.motion.vy ^ 2))
  end
  panel:value("phase", world.single.game.phase)
  panel:value("wave", wave.number)
  panel:value("fastest rock, px/s", fastest)
  panel:plot("rocks", rocks)
  panel:slider("lives", "score.lives", { 0, 9 })
  panel:slider("saucer in, s", "wave.saucer_in", { 0, 60 })
  for e in world.each("ship", "engine") do
    ship = e
  end
  if ship then
    panel:slider("turn rate", ship, "engine.turn_rate", { 1, 12 })
    panel:slider("push", ship, "engine.push", { 0, 1200 })
  end
  panel:button("Half speed", function()
    for e in world.each("rock", "motion") do
      e.motion.vx, e.motion.vy = e.motion.vx / 2, e.motion.vy / 2
    end
  end)
end }

shoal.cockpit { command = "Clear rocks", help = "destroys all rocks, which ends the wave", run = function()
  for e in world.each("rock") do
    e:destroy()
  end
end }

shoal.cockpit { command = "Three lives", help = "and a few seconds of invulnerability", run = function()
  world.single.score.lives = 3
  for e in world.each("ship") do
    e:set("grace", { left = 2.6 })
  end
end }
