return { again = { "key:space", "pad:a" } }
