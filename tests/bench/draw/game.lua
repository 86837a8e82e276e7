-- Pictures, as tests/bench/draw_love draws them with LÖVE: 20,000 sprites of 8 pixels that move, a map of 1,000 × 1,000
-- tiles that is scrolled over, 100,000 particles, 500 buttons, 10,000 letters in 100 texts, or nothing; and 200 lights
-- with shadows, which LÖVE has nothing for. Run by tests/bench/run.
return {
  title = "Benchmark: pictures",
  width = 1280,
  height = 720,
  tick_rate = 64,
  window = { vsync = false },
}
