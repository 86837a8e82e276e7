return { hurt = { "key:h", "pad:y" } }
