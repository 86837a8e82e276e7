-- Changes everything that it matches when the tests say so (cases/bulk.lua).
return {
  query = { "label", "marker" },
  update = function(q)
    local wanted = world.single.trace.text
    if wanted == "bulk add" then
      q:add("burning", { heat = 4 })
      world.spawn(nil, { label = "late", marker = {} })
      world.single.trace.count = q.count
    elseif wanted == "bulk remove" then
      q:remove("burning")
    elseif wanted == "bulk destroy" then
      world.single.trace.count = q:destroy_all()
    else
      return
    end
    world.single.trace.text = ""
  end,
}
