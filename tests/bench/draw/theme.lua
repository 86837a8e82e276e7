-- Gives buttons the same size as in tests/bench/draw_love.
return { size = 14, padding = 0, gap = 1, radius = 4, border = 1, motion = 0 }
