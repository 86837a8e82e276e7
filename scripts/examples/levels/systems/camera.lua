-- The camera follows the hero. Loading or saving the map spawns a new hero, so the target is looked up again.
return {
  query = { "follow" },
  each = function(e)
    if not e.follow.target:alive() then
      e.follow.target = world.find("hero") or shoal.none
    end
  end,
}
