return {
  query = { "hero", "mover" },
  each = function(e, dt)
    local hero, mover = e.hero, e.mover
    if hero.overlapped < world.tick - 1 then hero.crushed = false end
    mover.vy = math.min(mover.vy + 600 * dt, 600)
    mover.vx = math.sin(world.tick / 30 + hero.phase) * 150
    if mover.on_floor and (world.tick + hero.phase) % 50 == 0 then mover.vy = -250 end
  end,
}
