return {
  when = { bench = { form = "each" } },
  on = {
    collision = function(ev)
      for i = 1, ev.count do
        local ship, bullet = ev.a[i], ev.b[i]
        if bullet:alive() then
          bullet:destroy()
          ship.health.hp = ship.health.hp - 1
          world.emit("hit", { ship = ship, bullet = bullet, damage = 1 })
        end
      end
    end,
  },
}
