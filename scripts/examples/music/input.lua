return { star = { "key:space", "pad:a" }, closer = { "key:c", "pad:b" } }
