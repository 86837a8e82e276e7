return { turning = { rate = 0.5 }, orbit = { radius = 100 } }
