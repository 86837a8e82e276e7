-- Bats hover in place until the hero comes near, then flutter after him in curves.
return {
  query = { "bat", "intent", "transform" },
  each = function(e, dt)
    local bat, hero = e.bat, world.single.play.hero.transform
    local dx, dy = hero.x - e.transform.x, hero.y - e.transform.y
    local distance = math.sqrt(dx * dx + dy * dy) + 0.01
    bat.phase = bat.phase + dt * 5
    if distance > bat.wakes then
      e.intent.x, e.intent.y = math.cos(bat.phase) * 0.3, math.sin(bat.phase * 2) * 0.2
      return
    end
    bat.wakes = 400
    local swing = math.sin(bat.phase) * 0.9
    e.intent.x, e.intent.y = dx / distance - dy / distance * swing, dy / distance + dx / distance * swing
    e.sprite.flip = dx < 0
  end,
}
