return { nothing = { a = 0.0, b = 0.0 } }
