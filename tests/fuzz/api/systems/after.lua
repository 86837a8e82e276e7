-- Ends a pause caused by the tick's calls, and destroys all entities if there are too many.
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
