-- Removes the effects of the tick's calls on pause and, if there are too many, its entities.
return {
  phase = "post_update",
  query = { "transform" },
  update = function(q)
    world.pause(false)
    if q.count > 2000 then
      q:destroy_all()
    end
  end,
}
