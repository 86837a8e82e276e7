return {
  mote = {
    components = { transform = {}, drift = { vx = 10 }, body = { radius = 3 }, shape = { radius = 3 }, name = {} },
    states = { initial = "calm", calm = { tag = { text = "calm" } }, wild = { glow = { level = 2 } } },
    children = { ear = { components = { transform = { y = 2 } } } },
  },
}
