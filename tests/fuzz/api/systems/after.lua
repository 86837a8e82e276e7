-- Nothing of one tick's calls is left for the next but what a few of them made.
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
