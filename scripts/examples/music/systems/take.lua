-- The wanderer collects the stars that it reaches, which plays a stinger.
return {
  after = "wander",
  query = { "star", "transform" },
  each = function(e)
    local at, wanderer = e.transform, world.find("wanderer").transform
    if math.abs(at.x - wanderer.x) < 20 and math.abs(at.y - wanderer.y) < 140 then
      music.sting("star")
      world.spawn("gleam", { transform = { x = at.x, y = at.y } })
      e:destroy()
    end
  end,
}
