-- Lets heroes fall, walk and jump.
return {
  query = { "hero", "mover" },
  each = function(e, dt)
    local hero, mover = e.hero, e.mover
    hero.jumped, hero.rode = false, hero.riding
    if hero.act < 4 then mover.vy = math.min(mover.vy + 900 * dt, 1200) end
    if hero.act == 2 then mover.vx = math.sin(world.tick / 20 + hero.lane) * 40 end
    if hero.act == 3 and mover.on_floor and (world.tick + hero.lane) % 40 == 0 then
      mover.vy, hero.jumped = -hero.jump, true
    end
  end,
}
