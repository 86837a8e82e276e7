-- Scenes that tests/bench/draw_love also draws with LÖVE: 20,000 moving sprites of 8 pixels, a scrolling map of 1,000 ×
-- 1,000 tiles, 100,000 particles, 500 buttons, 10,000 letters in 100 texts, or an empty screen; and 200 lights with
-- shadows, for which LÖVE has no counterpart. Run by tests/bench/run.
return {
  title = "Benchmark: pictures",
  width = 1280,
  height = 720,
  tick_rate = 64,
  window = { vsync = false },
}
