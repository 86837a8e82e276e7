return { mouse = {}, cat = {}, cheese = { left = 1 } }
