return { pause = { "key:esc", "key:p", "pad:start" } }
