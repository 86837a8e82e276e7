-- Makes the camera follow the hero. The map spawns a new hero when it is loaded and when you save it in the editor, so
-- the target must be looked up again.
return {
  query = { "follow" },
  each = function(e)
    if not e.follow.target:alive() then
      e.follow.target = world.find("hero") or shoal.none
    end
  end,
}
