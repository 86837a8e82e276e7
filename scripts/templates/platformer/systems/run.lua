-- Makes the hero run and jump. He jumps higher while the key is held, and can still jump shortly after leaving an edge.
local GRAVITY, LATE = 900, 0.1

return {
  query = { "hero", "mover", "sprite", "animation", "transform" },
  each = function(e, dt)
    local hero, mover, x = e.hero, e.mover, input.axis("x")
    mover.vx = mover.vx + (x * hero.speed - mover.vx) * 12 * dt
    hero.late = mover.on_floor and LATE or hero.late - dt
    if input.pressed("jump") and hero.late > 0 then mover.vy, hero.late = -hero.jump, 0 end
    local falls = mover.vy < 0 and not input.down("jump") and 2.2 or 1
    mover.vy = math.min(400, mover.vy + GRAVITY * falls * dt)
    e.animation.clip = math.abs(x) > 0.1 and "walk" or "stand"
    if x ~= 0 then e.sprite.flip = x < 0 end
    if e.transform.y > 260 then world.scene("hills") end -- the hero fell into a gap
  end,
}
