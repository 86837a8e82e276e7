-- The eye goes after the hero, who comes with the map, and anew with every map that is saved.
return {
  query = { "follow" },
  each = function(e)
    if not e.follow.target:alive() then
      e.follow.target = world.find("hero") or shoal.none
    end
  end,
}
