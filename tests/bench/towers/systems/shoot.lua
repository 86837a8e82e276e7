return {
  after = "walk",
  query = { "transform", "tower" },
  each = function(e, dt)
    local tower = e.tower
    tower.wait = tower.wait - dt
    if tower.wait > 0 then return end
    local x, y = e.transform.x, e.transform.y
    local target = world.nearest(x, y, "creep")
    if not target or not target:alive() then return end
    local dx, dy = target.transform.x - x, target.transform.y - y
    if dx * dx + dy * dy > tower.range * tower.range then return end
    tower.wait = tower.reload
    tower.shots = tower.shots + 1
    target.health.hp = target.health.hp - tower.damage
    if target.health.hp <= 0 then
      world.emit("creep_killed", { creep = target })
      target:destroy()
    end
  end,
}
