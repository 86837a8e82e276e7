-- Uses the game's own components and Shoal's components of the same names.
return {
  query = { "path", "label", "tween" },
  start = function()
    local e = world.spawn("all", { name = "old" })
    world.tween(e, "hp.value", 10, 0.2)
    world.after(0.1, "rang", {})
    world.spawn("all", { name = "walker" }):sequence("walk")
    world.spawn(nil, { ["shoal.path"] = { points = "0,0 10,0", speed = 100 }, transform = {}, name = "goer" })
    world.spawn("menu")
    world.emit("path_ended", { cells = 4 })
  end,
  update = function(q)
    for i = 1, q.count do
      q.path.cells[i] = q.label.text[i] .. q.tween.halfway[i]
    end
    if world.tick == 20 then
      local old, goer = world.find("old"), world.find("goer")
      log.info("cells %s, hp %s, goer at %s", old.path.cells, old.hp.value, goer.transform.x)
      for e in world.each("shoal.saying") do
        log.info("%s says %s", e:name(), e["shoal.saying"].text)
      end
    end
  end,
  on = {
    rang = function() log.info("rang") end,
    path_ended = function(ev) log.info("path_ended of %d cells", ev.cells[1]) end,
    tween_ended = function() log.info("not its own") end,
    sequence_ended = function() log.info("not its own") end,
  },
}
