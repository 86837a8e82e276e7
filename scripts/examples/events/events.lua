return { burst = { x = 0, y = 0, r = 1, g = 1, b = 1, size = 1 } }
