return {
  when = { bench = { form = "update" } },
  on = {
    collision = function(ev)
      local hp, ships, bullets, met = world.lookup("health").hp, {}, {}, 0
      for i = 1, ev.count do
        local bullet = ev.b[i]
        if bullet:alive() then
          bullet:destroy()
          local ship = ev.a:raw(i)
          hp[ship] = hp[ship] - 1
          met = met + 1
          ships[met], bullets[met] = ev.a[i], bullet
        end
      end
      world.emit_many("hit", met, function(hit)
        for i = 1, met do
          hit.ship[i], hit.bullet[i], hit.damage[i] = ships[i], bullets[i], 1
        end
      end)
    end,
  },
}
