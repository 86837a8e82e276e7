-- Handles collisions of rocks. `a` is the body whose layer is listed first in game.lua: the ship or a bullet.
return {
  on = {
    collision_began = function(ev)
      local game = world.single.game
      for i = 1, ev.count do
        local who, rock = ev.a[i], ev.b[i]
        if rock:destroy() then -- false if it is already destroyed
          world.spawn("bang", { transform = { x = rock.transform.x, y = rock.transform.y } })
          if who:has("bullet") then
            who:destroy()
            game.score = game.score + 1
          else
            game.lives = game.lives - 1
            for eye in world.each("shaken") do eye.shaken.trauma = 0.8 end
            if game.lives <= 0 then world.restart() end
          end
        end
      end
    end,
  },
}
