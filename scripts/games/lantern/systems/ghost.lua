-- The cloak of moths makes the hero untouchable for some seconds (`ghost`). This system runs after collision detection
-- and before contacts.lua, and cancels collision events between a ghost and anything that deals damage, so contacts.lua
-- needs no code for ghosts.
return {
  phase = "post_update",
  after = { "shoal.collision" },
  before = { "contacts" },
  query = { "ghost", "sprite" },
  enter = function(e) world.tween(e, "sprite.tint.a", 0.35, 0.2) end,
  each = function(e, dt)
    local ghost = e.ghost
    ghost.left = ghost.left - dt
    if ghost.left < 1.5 then e.sprite.tint.a = ghost.left * 6 % 1 < 0.5 and 0.8 or 0.4 end
    if ghost.left <= 0 then
      e:remove("ghost")
      world.emit("noise", { file = "ghost_end.wav", x = e.transform.x })
    end
  end,
  on = {
    collision = function(ev)
      for i = 1, ev.count do
        local a, b = ev.a[i], ev.b[i]
        if a:alive() and a:has "ghost" and b:alive() and b:has "harm" then ev.cancelled[i] = true end
      end
    end,
  },
}
