return { bang = { number = 0 } }
