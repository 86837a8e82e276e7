return {
  query = { "creep", "mover", "transform" },
  each = function(e, dt)
    local mover, at, creep = e.mover, e.transform, e.creep
    local tiles = world.tiles(world.find("land"))
    local column, row = math.floor((at.x + creep.dir * 8) / 16) + 1, math.floor((at.y + 4) / 16) + 1
    creep.wait = creep.wait - dt
    if mover.on_wall or mover.on_floor and not (tiles:solid(column, row) or tiles:solid(column, row + 1)) then
      if creep.wait < 0 and mover.on_floor then
        mover.vy = -186
        creep.wait = 2
      else
        creep.dir = -creep.dir
      end
    end
    mover.vx = creep.dir * creep.speed
    mover.vy = math.min(mover.vy + 12, 420)
  end,
}
