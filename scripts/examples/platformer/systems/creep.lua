-- Slimes patrol: they turn at walls and where the ground ends.
return {
  query = { "creep", "mover", "transform", "sprite" },
  each = function(e, dt)
    local mover, at = e.mover, e.transform
    if mover.vx == 0 then
      mover.vx = (e.sprite.flip and 1 or -1) * e.creep.speed
    end
    local side = mover.vx > 0 and 1 or -1
    local tiles = world.tiles(world.find("land"))
    local column, row = math.floor((at.x + side * 8) / 16) + 1, math.floor((at.y + 4) / 16) + 1
    if mover.on_wall or mover.on_floor and not (tiles:solid(column, row) or tiles:solid(column, row + 1)) then
      side = -side
    end
    mover.vx = side * e.creep.speed
    mover.vy = math.min(mover.vy + 760 * dt, 420)
    e.sprite.flip = side < 0
  end,
}
