-- Counts events, and changes the tweens of lamps whose timer emits `ring`. Every 20 ticks cancels a timer and disables
-- a lamp's tweens.
return {
  on = {
    ring = function(ev)
      local heard = world.single.heard
      for i = 1, ev.count do
        heard.rings = heard.rings + 1
        heard.sum = heard.sum + ev.power[i] + #ev.note[i]
        local e = ev.who[i]
        if e:alive() then
          world.tween(e, "transform.y", 50, 0.2, "circ_in_out")
          world.tween(e, "gun.left.heat")
        end
      end
    end,
    tween_ended = function(ev)
      local heard = world.single.heard
      for i = 1, ev.count do
        heard.ends = heard.ends + 1
        heard.sum = heard.sum + #ev.path[i]
      end
    end,
  },
  update = function()
    if world.tick % 20 == 0 then
      local timer, lamp = world.each("timer")(), world.each("lamp")()
      if timer then
        world.cancel(timer)
      end
      if lamp then
        lamp:disable("tween")
      end
    end
  end,
}
