-- Handles collisions of the hero. `a` is the body whose layer is listed first in game.lua.
return {
  on = {
    collision_began = function(ev)
      for i = 1, ev.count do
        local hero, other = ev.a[i], ev.b[i]
        if other:has("coin") then
          world.single.game.coins = world.single.game.coins + 1
          world.spawn("glitter", { transform = { x = other.transform.x, y = other.transform.y } })
          other:destroy()
        elseif other:has("spring") then
          hero.mover.vy = -420
        end
      end
    end,
  },
}
