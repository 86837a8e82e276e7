return {
  phase = "post_update",
  query = { "rigid_body" },
  update = function(q)
    if world.tick == 599 then
      print(("check bodies %d"):format(q.count))
    end
  end,
}
