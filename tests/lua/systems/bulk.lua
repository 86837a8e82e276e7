-- Changes all matching entities in bulk, as requested by cases/bulk.lua.
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
    elseif wanted == "bulk alike" then
      local gone = q.entity[1]
      for i = 1, q.count do q.entity[i]:add("burning") end
      local good, problem = pcall(gone.add, shoal.none, "burning")
      if good or not problem:find("e:add", 1, true) then error("no entity burns: " .. tostring(problem)) end
      for i = 2, q.count do
        local e = q.entity[i]
        e:add("frozen")
        if not e:remove("burning") then error("it burns") end
        if i > 20 and not e:destroy() then error("it lives") end
      end
      if gone:remove("frozen") then error("it was not frozen") end
    elseif wanted == "bulk deaths" then
      for _, handle in ipairs { q.entity[1], q.entity[2], q.entity[3], q.entity[2] } do handle:remove("label") end
      for i = 1, q.count do
        local e = q.entity[i]
        if not e:destroy() or e:destroy() or e:alive() then error("it dies once") end
      end
    else
      return
    end
    world.single.trace.text = ""
  end,
}
