return {
  guard = {
    components = { transform = {}, napper = {} },
    states = {
      initial = "awake",
      awake = {
        gun = { left = { keep = true }, right = { heat = 3 } }, mood = { name = "calm", keep = true },
        watch = function(e) return { left = 0.1 + 0.3 * world.random() } end,
      },
      asleep = { mood = { name = "asleep" }, watch = function(e) return { left = 0.05 + e.transform.x / 60 } end },
    },
  },
}
