return { cheese = { left = 1 } }
