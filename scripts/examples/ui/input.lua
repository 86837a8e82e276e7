return { hurt = { "key:h" } }
