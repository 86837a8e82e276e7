-- Moves each slime towards the nearest hero. When a slime catches a hero, the room starts again.
return {
  query = { "slime", "transform", "mover" },
  each = function(e)
    local slime = e.transform
    local nearest = world.nearest(slime.x, slime.y, "hero")
    if not nearest then return end
    local hero = nearest.transform
    local x, y = hero.x - slime.x, hero.y - slime.y
    local distance = math.sqrt(x * x + y * y)
    if distance < 9 then return world.scene("room") end
    e.mover.vx, e.mover.vy = x / distance * e.slime.speed, y / distance * e.slime.speed
  end,
}
