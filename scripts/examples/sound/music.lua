return { night = { layers = { night = "night.wav" }, volume = 0.6, fade = 2 } }
