-- A rope of lanterns over a harbour: a game that calls its own C library (rope.c) through LuaJIT's FFI.
return {
  title = "Native: a rope in C",
  width = 1280,
  height = 720,
  addons = { "caption" },
  native = true, -- allows `require "ffi"`; requires the option --trust
  start = function()
    world.spawn("eye")
    world.spawn_many("bead", 64, function(q)
      for i = 1, q.count do
        q.bead.number[i] = i
        q.bead.height[i] = i > 8 and i < 28 and 120 * math.sin((i - 8) * math.pi / 20) ^ 2 or 0
        q.transform.x[i] = i * 16 - 520
      end
    end)
  end,
}
