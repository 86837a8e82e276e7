-- Reacts to collisions.
return {
  on = {
    collision = function(ev)
      log.info("%s hit %s", tostring(ev.a), tostring(ev.b))
    end,
  },
}
